#include "experiment/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "config/scalar.h"
#include "experiment/sweep_values.h"

namespace assay {
namespace {

constexpr const char* kRules = "uniform, log_uniform or choice";

// A number on a linear or logarithmic scale.
struct Scale {
  double low = 0, high = 1, step = 0;  // step 0: any number
  bool logarithmic = false;

  double at(double u) const {
    double x = logarithmic ? std::exp(std::log(low) + u * (std::log(high) - std::log(low)))
                           : low + u * (high - low);
    if (step > 0) x = step * std::round(x / step);
    double rounded = 0;
    parse_real(fmt::format("{:.6g}", x), rounded);
    return std::clamp(rounded, low, high);
  }
};

bool increase(const std::vector<Value>& values) {
  double last = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double number = 0;
    if (!values[i].is_scalar() || values[i].quoted() ||
        parse_real(values[i].text(), number) != NumberError::none || (i > 0 && number <= last))
      return false;
    last = number;
  }
  return true;
}

class KeyReader {
 public:
  KeyReader(std::string path, const Value& written, Problems& problems)
      : path_(std::move(path)), written_(written), problems_(problems) {}

  /// Of a choice, or of steps that are equally far apart.
  std::vector<Value> values;
  bool ordered = true;
  Scale scale;

  bool read() {
    if (written_.is_list()) {
      values = sweep_values(path_, written_, problems_);
      ordered = increase(values);
      return !values.empty();
    }
    const Value* uniform = written_.find("uniform");
    const Value* logarithmic = written_.find("log_uniform");
    const Value* choice = written_.find("choice");
    if ((uniform != nullptr) + (logarithmic != nullptr) + (choice != nullptr) != 1)
      return fail(written_.at(), fmt::format("wanted a list of values, or a map with one of {}, "
                                             "got {}",
                                             kRules, describe(written_)));
    for (std::size_t i = 0; i < written_.entries().size(); ++i) {
      const std::string& key = written_.entries()[i].first;
      if (key == "uniform" || key == "log_uniform" || key == "choice") continue;
      if (key != "step" || choice)
        return fail(written_.key_location(i), key + ": unknown here; a space has " + kRules +
                                                  ", and step beside the first two");
    }
    if (choice) {
      values = sweep_values(path_ + ".choice", *choice, problems_);
      ordered = false;
      return !values.empty();
    }
    scale.logarithmic = logarithmic != nullptr;
    return read_ends(scale.logarithmic ? *logarithmic : *uniform,
                     scale.logarithmic ? "log_uniform" : "uniform");
  }

 private:
  bool fail(const Location& at, const std::string& message) {
    problems_.add(at, path_ + ": " + message);
    return false;
  }

  bool number(const Value& value, const char* name, double& into) {
    if (value.is_scalar() && !value.quoted() && parse_real(value.text(), into) == NumberError::none)
      return true;
    return fail(value.at(), fmt::format("{}: wanted a number, got {}", name, describe(value)));
  }

  bool read_ends(const Value& ends, const char* name) {
    if (!ends.is_list() || ends.items().size() != 2)
      return fail(ends.at(),
                  fmt::format("{}: wanted [lowest, highest], got {}", name, describe(ends)));
    if (!number(ends.items()[0], name, scale.low) || !number(ends.items()[1], name, scale.high))
      return false;
    if (!(scale.low < scale.high))
      return fail(ends.at(), fmt::format("{}: the highest value, {}, is not above the lowest, {}",
                                         name, ends.items()[1].text(), ends.items()[0].text()));
    if (scale.logarithmic && scale.low <= 0)
      return fail(ends.items()[0].at(),
                  fmt::format("{}: wanted a number above 0, got {}; the ends are values, not "
                              "exponents",
                              name, ends.items()[0].text()));
    const Value* step = written_.find("step");
    if (!step) return true;
    if (!number(*step, "step", scale.step)) return false;
    if (scale.step <= 0)
      return fail(step->at(), "step: wanted a number above 0, got " + step->text());
    if (scale.logarithmic) return true;
    values = sweep_values(path_, Value::map({{"range", ends}, {"step", *step}}, written_.at()),
                          problems_);
    return !values.empty();
  }

  std::string path_;
  const Value& written_;
  Problems& problems_;
};

}  // namespace

SearchSpace::SearchSpace(const std::string& path, const Value& written, const Replaced& replaced,
                         const GroupLookup& groups, Problems& problems) {
  if (!written.is_map()) {
    problems.add(written.at(), fmt::format("{}: wanted a map from key to values, got {}", path,
                                           describe(written)));
    return;
  }
  for (const auto& [key, entry] : written.entries()) {
    if (replaced(key)) continue;
    KeyReader reader(path + "." + key, entry, problems);
    if (!reader.read()) continue;
    Override change;
    change.path = key;
    if (!reader.values.empty()) {
      change.choices = reader.values;
      const auto count = static_cast<std::int64_t>(reader.values.size());
      const Axis axis = value_axis(groups(std::move(change), problems));
      dimensions_.push_back({key, count, reader.ordered});
      keys_.push_back(
          {[axis](double u) {
             return axis[static_cast<std::size_t>(u * static_cast<double>(axis.size()))];
           },
           {}});
    } else {
      dimensions_.push_back({key, 0, true});
      keys_.push_back({[scale = reader.scale, change, at = entry.at()](double u) {
                         Override drawn = change;
                         drawn.choices = {Value::scalar(number_text(scale.at(u)), false, at)};
                         return value_axis(drawn).front();
                       },
                       {}});
    }
  }
  if (dimensions_.empty() && problems.empty())
    problems.add(written.at(), path + ": nothing is left to search");
}

void SearchSpace::add_condition(const std::string& key, Condition condition) {
  for (std::size_t d = 0; d < dimensions_.size(); ++d)
    if (dimensions_[d].name == key) keys_[d].when = std::move(condition);
}

bool SearchSpace::has(const std::string& key) const {
  return std::any_of(dimensions_.begin(), dimensions_.end(),
                     [&](const SearchDimension& dimension) { return dimension.name == key; });
}

Trial SearchSpace::at(const SearchPoint& point, const Trial& base, Problems& problems) const {
  Trial trial = base;
  const auto apply = [&](std::size_t d) {
    const Choice choice = keys_[d].choose(point[d]);
    trial.config = choice.set(trial.config, problems);
    trial.label = joined_label(trial.label, choice.label);
    trial.layers.insert(trial.layers.end(), choice.layers.begin(), choice.layers.end());
  };
  // Those with a condition see what the others say.
  for (std::size_t d = 0; d < keys_.size(); ++d)
    if (!keys_[d].when) apply(d);
  for (std::size_t d = 0; d < keys_.size(); ++d)
    if (keys_[d].when && holds(*keys_[d].when, {trial}, problems).front()) apply(d);
  return trial;
}

}  // namespace assay
