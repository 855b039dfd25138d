#include "experiment/sweep_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>

#include "base/text.h"
#include "config/scalar.h"
#include "config/yaml.h"

namespace assay {
namespace {

constexpr std::int64_t kMostValues = 100000;

// A number as it was written: digits x 10^exponent.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

// Nothing where the digits do not fit.
std::optional<std::int64_t> scaled(const Decimal& number, int exponent) {
  std::int64_t digits = number.digits;
  for (int e = number.exponent; e > exponent; --e)
    if (__builtin_mul_overflow(digits, 10, &digits)) return std::nullopt;
  return digits;
}

// text is a number, as parse_real takes it.
std::optional<Decimal> decimal(std::string_view text) {
  Decimal number;
  const bool negative = text.front() == '-';
  bool fraction = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      fraction = true;
    } else if (c == 'e' || c == 'E') {
      const std::string exponent(text.substr(i + 1));
      number.exponent += std::atoi(exponent.c_str());
      break;
    } else if (c >= '0' && c <= '9') {
      if (__builtin_mul_overflow(number.digits, 10, &number.digits) ||
          __builtin_add_overflow(number.digits, c - '0', &number.digits))
        return std::nullopt;
      number.exponent -= fraction;
    }
  }
  if (negative) number.digits = -number.digits;
  return number;
}

std::string decimal_text(const Decimal& number) {
  if (number.exponent >= 0)
    if (const auto whole = scaled(number, 0)) return std::to_string(*whole);
  double value = 0;
  parse_real(fmt::format("{}e{}", number.digits, number.exponent), value);
  return number_text(value);
}

class Rule {
 public:
  Rule(std::string path, const Value& written, Problems& problems)
      : path_(std::move(path)), written_(written), problems_(problems) {}

  std::vector<Value> values() {
    for (const char* name : {"range", "linspace", "logspace"}) {
      const Value* ends = written_.find(name);
      if (!ends) continue;
      const std::string count = name == std::string("range") ? "step" : "points";
      for (std::size_t i = 0; i < written_.entries().size(); ++i) {
        const std::string& key = written_.entries()[i].first;
        if (key != name && key != count)
          fail(written_.key_location(i),
               fmt::format("{}: unknown beside {}; wanted {{{}: [first, last], {}: ...}}", key,
                           name, name, count));
      }
      if (!ends->is_list() || ends->items().size() != 2) {
        fail(ends->at(), fmt::format("{}: wanted {{{}: [first, last], {}: ...}}, got {}", name,
                                     name, count, describe(*ends)));
        return {};
      }
      first_ = number(ends->items()[0], name);
      last_ = number(ends->items()[1], name);
      const Value* second = written_.find(count);
      if (!second) {
        fail(written_.at(), fmt::format("{}: missing beside {}", count, name));
        return {};
      }
      const std::optional<double> amount = number(*second, count);
      if (!first_ || !last_ || !amount) return {};
      if (*last_ < *first_) {
        fail(ends->at(), fmt::format("{}: the last value, {}, is below the first, {}", name,
                                     ends->items()[1].text(), ends->items()[0].text()));
        return {};
      }
      if (count == "step") return range(*ends, *second, *amount);
      return spaced(name, *ends, *second, *amount);
    }
    fail(written_.at(), fmt::format("wanted a list of values, or a map with range, linspace or "
                                    "logspace, got {}",
                                    describe(written_)));
    return {};
  }

 private:
  void fail(const Location& at, const std::string& message) {
    problems_.add(at, path_ + ": " + message);
  }

  std::optional<double> number(const Value& value, const std::string& name) {
    double real = 0;
    if (value.is_scalar() && !value.quoted() && parse_real(value.text(), real) == NumberError::none)
      return real;
    fail(value.at(), fmt::format("{}: wanted a number, got {}", name, describe(value)));
    return std::nullopt;
  }

  bool few_enough(const Value& at, double count) {
    if (count <= static_cast<double>(kMostValues)) return true;
    fail(at.at(), fmt::format("these are {:.3g} values; the most is {}", count, kMostValues));
    return false;
  }

  std::vector<Value> range(const Value& ends, const Value& step_value, double step) {
    if (step <= 0) {
      fail(step_value.at(),
           fmt::format("step: wanted a number above 0, got {}", step_value.text()));
      return {};
    }
    if (!few_enough(step_value, (*last_ - *first_) / step + 1)) return {};
    const auto first = decimal(ends.items()[0].text()), last = decimal(ends.items()[1].text()),
               by = decimal(step_value.text());
    std::optional<std::int64_t> at, end, add;
    int exponent = 0;
    if (first && last && by) {
      exponent = std::min({first->exponent, last->exponent, by->exponent});
      at = scaled(*first, exponent);
      end = scaled(*last, exponent);
      add = scaled(*by, exponent);
    }
    if (!at || !end || !add) {
      fail(ends.at(),
           "range: its numbers need more than 18 digits between them; write the values as a list");
      return {};
    }
    std::vector<Value> values;
    for (std::int64_t v = *at; v <= *end; v += *add) {
      values.push_back(Value::scalar(decimal_text({v, exponent}), false, ends.at()));
      if (*end - v < *add) break;  // before the sum can overflow
    }
    return values;
  }

  std::vector<Value> spaced(const std::string& name, const Value& ends, const Value& points_value,
                            double points) {
    if (points < 2 || points != std::floor(points)) {
      fail(points_value.at(),
           fmt::format("points: wanted a whole number of at least 2, got {}", points_value.text()));
      return {};
    }
    if (!few_enough(points_value, points)) return {};
    const bool in_logs = name == "logspace";
    if (in_logs && *first_ <= 0) {
      fail(ends.items()[0].at(),
           fmt::format("logspace: wanted a number above 0, got {}", ends.items()[0].text()));
      return {};
    }
    const double from = in_logs ? std::log10(*first_) : *first_;
    const double to = in_logs ? std::log10(*last_) : *last_;
    std::vector<Value> values = {ends.items()[0]};
    const auto count = static_cast<std::int64_t>(points);
    for (std::int64_t i = 1; i + 1 < count; ++i) {
      const double between = from + (to - from) * static_cast<double>(i) / (points - 1);
      const double exact = in_logs ? std::pow(10.0, between) : between;
      double rounded = 0;
      parse_real(fmt::format("{:.12g}", exact), rounded);
      values.push_back(Value::scalar(number_text(rounded), false, ends.at()));
    }
    values.push_back(ends.items()[1]);
    return values;
  }

  std::string path_;
  const Value& written_;
  Problems& problems_;
  std::optional<double> first_, last_;
};

}  // namespace

std::vector<Value> sweep_values(const std::string& path, const Value& written, Problems& problems) {
  std::vector<Value> values = written.items();
  if (written.is_map()) {
    values = Rule(path, written, problems).values();
  } else if (values.empty()) {
    problems.add(written.at(),
                 fmt::format("{}: wanted a list of values, got {}", path, describe(written)));
  }
  std::set<std::string> seen;
  for (const Value& value : values) {
    const std::string text = write_yaml_flow(value);
    if (!seen.insert(text).second)
      problems.add(
          value.at(),
          fmt::format("{}: the value {} is given twice; each would be the same run", path, text));
  }
  return values;
}

}  // namespace assay
