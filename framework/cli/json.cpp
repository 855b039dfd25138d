#include "cli/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/numbers.h"
#include "results/export.h"

namespace assay {
namespace {

constexpr std::size_t kLineWidth = 100;

std::string one_line(const Value& value) {
  if (value.is_null()) return "null";
  if (value.is_scalar()) return value.quoted() ? json_string(value.text()) : value.text();
  std::string out = value.is_map() ? "{" : "[";
  const char* separator = "";
  if (value.is_map()) {
    for (const auto& [key, item] : value.entries()) {
      out += separator + json_string(key) + ": " + one_line(item);
      separator = ", ";
    }
    return out + "}";
  }
  for (const Value& item : value.items()) {
    out += separator + one_line(item);
    separator = ", ";
  }
  return out + "]";
}

bool holds_only_scalars(const Value& value) {
  const auto scalar = [](const Value& item) { return item.is_null() || item.is_scalar(); };
  if (value.is_list()) return std::all_of(value.items().begin(), value.items().end(), scalar);
  return std::all_of(value.entries().begin(), value.entries().end(),
                     [&](const auto& entry) { return scalar(entry.second); });
}

void write(const Value& value, std::size_t indent, std::string& out) {
  if (value.is_null() || value.is_scalar()) {
    out += one_line(value);
    return;
  }
  if (holds_only_scalars(value)) {
    const std::string line = one_line(value);
    if (indent + line.size() <= kLineWidth) {
      out += line;
      return;
    }
  }
  const std::string margin(indent + 2, ' ');
  const char* separator = "";
  const bool map = value.is_map();
  out += map ? "{" : "[";
  const std::size_t count = map ? value.entries().size() : value.items().size();
  for (std::size_t i = 0; i < count; ++i) {
    out += separator + ("\n" + margin);
    if (map) out += json_string(value.entries()[i].first) + ": ";
    write(map ? value.entries()[i].second : value.items()[i], indent + 2, out);
    separator = ",";
  }
  out += "\n" + std::string(indent, ' ') + (map ? "}" : "]");
}

}  // namespace

Value json_text(std::string_view text) {
  return Value::scalar(std::string(text), true, {});
}

Value json_number(double number) {
  if (std::isnan(number)) return json_text("nan");
  if (std::isinf(number)) return json_text(number > 0 ? "inf" : "-inf");
  return Value::scalar(exact_text(number), false, {});
}

Value json_integer(std::int64_t number) {
  return Value::scalar(fmt::format("{}", number), false, {});
}

Value json_truth(bool truth) {
  return Value::scalar(truth ? "true" : "false", false, {});
}

std::string write_json_line(const Value& value) {
  return one_line(value) + "\n";
}

std::string write_json(const Value& value) {
  std::string out;
  write(value, 0, out);
  return out + "\n";
}

}  // namespace assay
