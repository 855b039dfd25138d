#include "config/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "config/scalar.h"
#include "config/yaml.h"

namespace assay {
namespace {

std::string join_path(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

std::vector<std::string> quoted(std::vector<std::string> names) {
  for (std::string& name : names) name = quote(name);
  return names;
}

// "an integer, at least 1 and below 8"
std::string wanted_item(const OptionInfo& info) {
  if (!info.choices.empty()) return join(quoted(info.choices), "or");
  std::string result;
  switch (info.type) {
    case OptionInfo::Type::integer:
      result = "an integer";
      break;
    case OptionInfo::Type::real:
      result = "a number";
      break;
    case OptionInfo::Type::boolean:
      return "true or false";
    case OptionInfo::Type::text:
      return "text";
    case OptionInfo::Type::duration:
      result = info.seconds ? "steps (100), tokens (20Mt), epochs (2e) or seconds (30s)"
                            : "steps (100), tokens (20Mt) or epochs (2e)";
      break;
    case OptionInfo::Type::any:
      return "a value";
  }
  std::vector<std::string> bounds;
  if (info.minimum)
    bounds.push_back(
        fmt::format("{} {}", info.exclusive_minimum ? "above" : "at least", *info.minimum));
  if (info.maximum)
    bounds.push_back(
        fmt::format("{} {}", info.exclusive_maximum ? "below" : "at most", *info.maximum));
  return bounds.empty() ? result : result + ", " + join(bounds);
}

std::string wanted(const OptionInfo& info) {
  return info.list ? fmt::format("a list, each item {}", wanted_item(info)) : wanted_item(info);
}

void refuse(const std::string& what, const Value& value, const std::string& path,
            Problems& problems, const std::string& hint = {}) {
  problems.add(value.at(),
               fmt::format("{}: wanted {}; got {}{}", path, what, describe(value), hint));
}

template <class T>
bool in_bounds(T value, const OptionInfo& info) {
  const auto number = static_cast<double>(value);
  if (info.minimum && (info.exclusive_minimum ? number <= *info.minimum : number < *info.minimum))
    return false;
  return !info.maximum ||
         (info.exclusive_maximum ? number < *info.maximum : number <= *info.maximum);
}

template <class T>
void read_number(T& into, NumberError (*parse)(std::string_view, T&), const char* too_large,
                 const OptionInfo& info, const Value& value, const std::string& path,
                 Problems& problems) {
  T number{};
  const NumberError error = value.is_scalar() ? parse(value.text(), number) : NumberError::syntax;
  if (value.is_scalar() && value.quoted())
    return refuse(wanted_item(info), value, path, problems,
                  error == NumberError::syntax ? "" : ", which is quoted: remove the quotes");
  if (error == NumberError::range)
    return refuse(wanted_item(info), value, path, problems, too_large);
  if (error != NumberError::none || !in_bounds(number, info))
    return refuse(wanted_item(info), value, path, problems);
  into = number;
}

}  // namespace

void read_option(std::int64_t& into, const OptionInfo& info, const Value& value,
                 const std::string& path, Problems& problems) {
  read_number(into, parse_integer, ", which does not fit 64 bits", info, value, path, problems);
}

void read_option(double& into, const OptionInfo& info, const Value& value, const std::string& path,
                 Problems& problems) {
  read_number(into, parse_real, ", which is outside the range of double precision", info, value,
              path, problems);
}

void read_option(bool& into, const OptionInfo& info, const Value& value, const std::string& path,
                 Problems& problems) {
  const auto truth = value.is_scalar() ? parse_boolean(value.text()) : std::nullopt;
  if (!truth || value.quoted())
    return refuse(wanted_item(info), value, path, problems,
                  truth ? ", which is quoted: remove the quotes" : "");
  into = *truth;
}

void read_option(std::string& into, const OptionInfo& info, const Value& value,
                 const std::string& path, Problems& problems) {
  const auto& choices = info.choices;
  const bool allowed =
      choices.empty() || std::find(choices.begin(), choices.end(), value.text()) != choices.end();
  if (value.is_scalar() && allowed) {
    into = value.text();
    return;
  }
  const auto near = value.is_scalar() ? near_match(value.text(), choices) : std::nullopt;
  refuse(wanted_item(info), value, path, problems,
         near ? fmt::format("; did you mean {}?", quote(*near)) : "");
}

namespace {

// Bounds are of steps; how many steps other units are is not known yet.
bool duration_in_bounds(const Duration& duration, const OptionInfo& info) {
  if (duration.unit == Duration::Unit::steps) return in_bounds(duration.amount, info);
  const bool may_be_zero = !info.minimum || (*info.minimum <= 0 && !info.exclusive_minimum);
  return duration.amount > 0 || (duration.amount == 0 && may_be_zero);
}

std::string duration_hint(const Value& value, DurationError error) {
  const std::string& text = value.text();
  Duration duration;
  if (error == DurationError::range) return ", which is too many";
  if (error == DurationError::fraction) return ", which is not whole";
  if (error != DurationError::none && text.find(' ') == std::string::npos &&
      parse_duration(text + "t", duration) == DurationError::none)
    return fmt::format("; did you mean {}t?", text);
  return {};
}

}  // namespace

void read_option(Duration& into, const OptionInfo& info, const Value& value,
                 const std::string& path, Problems& problems) {
  Duration duration;
  const DurationError error =
      value.is_scalar() ? parse_duration(value.text(), duration) : DurationError::syntax;
  // With a unit it is text, which JSON has to quote.
  if (value.quoted() && error == DurationError::none && duration.unit == Duration::Unit::steps)
    return refuse(wanted_item(info), value, path, problems, ", which is quoted: remove the quotes");
  if (error != DurationError::none || (duration.in_seconds() && !info.seconds) ||
      !duration_in_bounds(duration, info))
    return refuse(wanted_item(info), value, path, problems, duration_hint(value, error));
  into = duration;
}

void refuse_option(const OptionInfo& info, const Value& value, const std::string& path,
                   Problems& problems) {
  refuse(wanted(info), value, path, problems);
}

Value write_option(std::int64_t value) {
  return Value::scalar(fmt::format("{}", value), false, {});
}
Value write_option(double value) {
  return Value::scalar(real_text(value), false, {});
}
Value write_option(bool value) {
  return Value::scalar(value ? "true" : "false", false, {});
}
Value write_option(const Duration& value) {
  return Value::scalar(duration_text(value), false, {});
}
Value write_option(const std::string& value) {
  return Value::scalar(value, reads_as_other_than_text(value), {});
}

std::string default_option_text(const Value& value) {
  return value.is_null() ? std::string() : write_yaml_flow(value);
}

void OptionTable::read(void* object, const Value& section, const std::string& path,
                       const std::string& owner, Problems& problems) const {
  if (!section.is_map() && !section.is_null())
    return refuse("a map of options", section, path.empty() ? owner : path, problems);

  for (std::size_t i = 0; i < section.entries().size(); ++i) {
    const std::string& key = section.entries()[i].first;
    if (key == "type" || std::any_of(entries.begin(), entries.end(),
                                     [&](const Entry& entry) { return entry.info.name == key; }))
      continue;
    std::vector<std::string> names;
    for (const Entry& entry : entries) names.push_back(entry.info.name);
    const auto near = near_match(key, names);
    problems.add(section.key_location(i),
                 fmt::format("{}: unknown option of {}; {}", join_path(path, key), owner,
                             near            ? fmt::format("did you mean {}?", quote(*near))
                             : names.empty() ? "it has none"
                                             : "it has " + join(names)));
  }

  Problems found;
  for (const Entry& entry : entries) {
    const Value* value = section.find(entry.info.name);
    const std::string option = join_path(path, entry.info.name);
    if (value && (!value->is_null() || entry.info.optional))
      entry.read(object, entry.info, *value, option, found);
    else if (entry.info.required)
      found.add(value ? value->at() : section.at(),
                fmt::format("{}: is missing; wanted {}: {}", option, wanted(entry.info),
                            entry.info.help));
  }
  if (found.empty())
    for (const auto& rule : rules)
      if (const std::string fault = rule.check(object); !fault.empty())
        found.add(section.at(), fmt::format("{}: {}", path.empty() ? owner : path, fault));
  for (const Problem& problem : found.list()) problems.add(problem.at, problem.message);
}

Value OptionTable::write(const void* object) const {
  std::vector<Value::Entry> options;
  for (const Entry& entry : entries)
    if (Value value = entry.write(object); !value.is_null())
      options.emplace_back(entry.info.name, std::move(value));
  return Value::map(std::move(options), {});
}

OptionRefiner& OptionRefiner::at_least(double minimum) {
  info_.minimum = minimum;
  info_.exclusive_minimum = false;
  return *this;
}

OptionRefiner& OptionRefiner::above(double minimum) {
  info_.minimum = minimum;
  info_.exclusive_minimum = true;
  return *this;
}

OptionRefiner& OptionRefiner::at_most(double maximum) {
  info_.maximum = maximum;
  info_.exclusive_maximum = false;
  return *this;
}

OptionRefiner& OptionRefiner::below(double maximum) {
  info_.maximum = maximum;
  info_.exclusive_maximum = true;
  return *this;
}

OptionRefiner& OptionRefiner::one_of(std::vector<std::string> choices) {
  info_.choices = std::move(choices);
  return *this;
}

OptionRefiner& OptionRefiner::names_file() {
  info_.names_file = true;
  return *this;
}

OptionRefiner& OptionRefiner::or_seconds() {
  info_.seconds = true;
  return *this;
}

OptionRefiner& OptionRefiner::section(OptionTable table) {
  info_.section = std::make_shared<const OptionTable>(std::move(table));
  return *this;
}

OptionRefiner& OptionRefiner::or_list() {
  info_.chain = true;
  return *this;
}

OptionRefiner& OptionRefiner::plugin(std::string kind) {
  info_.kind = std::move(kind);
  return *this;
}

OptionRefiner& OptionRefiner::required() {
  info_.required = true;
  info_.default_text.clear();
  return *this;
}

}  // namespace assay
