#include "config/overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "config/scalar.h"
#include "config/yaml_parser.h"
#include "config/yaml_text.h"

namespace assay {
namespace {

// What is wrong with a path, and after how many bytes.
std::optional<std::pair<std::size_t, std::string>> path_fault(std::string_view path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if ((i == 0 || path[i - 1] == '.') && path[i] == '.')
      return std::pair(i, "a name is missing before this '.'");
    if (static_cast<unsigned char>(path[i]) <= ' ' || path[i] == '"' || path[i] == '\'')
      return std::pair(i, "an option's path has no spaces and quotes; write model.width=64");
  }
  if (path.empty()) return std::pair(std::size_t{0}, "the option's path is missing before '='");
  if (path.back() == '.') return std::pair(path.size() - 1, "a name is missing after this '.'");
  return std::nullopt;
}

// Lists and maps inside each other.
std::ptrdiff_t height(const Value& value) {
  std::ptrdiff_t highest = 0;
  for (const Value& item : value.items()) highest = std::max(highest, height(item));
  for (const auto& [key, item] : value.entries()) highest = std::max(highest, height(item));
  return value.is_list() || value.is_map() ? highest + 1 : 0;
}

class Argument {
 public:
  explicit Argument(std::string_view text)
      : text_(text), source_(std::make_shared<const std::string>("argument " + quote(text))) {}

  std::string_view text() const { return text_; }
  Location at(std::size_t offset) const {
    return {source_, 0, static_cast<int>(utf8_count(text_.substr(0, offset))) + 1};
  }

 private:
  std::string_view text_;
  std::shared_ptr<const std::string> source_;
};

// The values behind the `=` at this offset; none if there were problems.
std::vector<Value> read_choices(const Argument& argument, std::size_t equals, Problems& problems) {
  const std::string_view text = argument.text().substr(equals + 1);
  const std::size_t last = text.find_last_not_of(" \t");
  if (last == std::string_view::npos)
    return {Value::scalar("", true, argument.at(equals + 1))};  // `note=`

  // In brackets, commas outside quotes and brackets part items by the rules of YAML itself; the
  // first bracket takes the place of `=`, so that columns stay right. Without a line end before the
  // last one, a comment swallows it.
  const Location first_bracket = argument.at(equals),
                 last_character = argument.at(argument.text().size() - 1);
  Problems found;
  const auto list = parse_yaml(fmt::format("[{}]", text), first_bracket, found);
  if (list && found.empty() && text[last] == ',')
    found.add(argument.at(equals + 1 + last), "nothing stands after this comma; remove it");
  for (const Problem& problem : found.list()) {
    const bool at_our_brackets =
        problem.at.column == first_bracket.column || problem.at.column > last_character.column;
    if (!list && at_our_brackets)
      problems.add(argument.at(equals + 1),
                   "brackets do not pair up, a quote is not closed, or '#' starts a comment; put "
                   "text with such signs in quotes");
    else
      problems.add(problem.at, problem.message);
  }
  return list && found.empty() ? list->items() : std::vector<Value>{};
}

}  // namespace

Override read_override(std::string_view text, Problems& problems) {
  const Argument argument(text);
  Override result{{}, {}, std::string(text)};
  if (const std::size_t bad = utf8_error(text); bad != std::string_view::npos) {
    problems.add(argument.at(bad), fmt::format("byte {} is not UTF-8", bad));
    return result;
  }
  if (const std::size_t end = text.find('\n'); end != std::string_view::npos) {
    problems.add(argument.at(end), "a line end; write \\n, in double quotes");
    return result;
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    problems.add(argument.at(0), "wanted an option and its value, such as model.width=64");
    return result;
  }
  result.path = text.substr(0, equals);
  if (const auto fault = path_fault(result.path)) {
    problems.add(argument.at(fault->first), fault->second);
    return result;
  }
  std::vector<Value> choices = read_choices(argument, equals, problems);
  const auto steps = std::count(result.path.begin(), result.path.end(), '.') + 1;
  for (const Value& choice : choices)
    if (steps + height(choice) > kYamlDepth) {
      problems.add(argument.at(0), fmt::format("lists and maps more than {} deep", kYamlDepth));
      return result;
    }
  result.choices = std::move(choices);
  return result;
}

namespace {

// Where the step at path[offset...] was written: in its argument, or wherever value was.
Location step_place(const Value& value, std::string_view path, std::size_t offset) {
  Location place = value.at();
  if (place.source && place.line == 0)
    place.column = static_cast<int>(utf8_count(path.substr(0, offset))) + 1;
  return place;
}

Value apply_at(const Value& base, std::string_view path, std::size_t offset, const Value& value,
               Problems& problems) {
  const std::size_t dot = path.find('.', offset);
  const bool is_last = dot == std::string_view::npos;
  const std::string_view step = path.substr(offset, is_last ? dot : dot - offset);
  const Location place = step_place(value, path, offset);
  const std::string owner(offset == 0 ? "the configuration" : path.substr(0, offset - 1));
  const auto changed = [&](const Value& old) {
    if (!is_last) return apply_at(old, path, dot + 1, value, problems);
    return value.is_null() ? Value() : merge(old, value);
  };

  if (base.is_list()) {
    const auto index = list_index(step, base.items().size());
    if (!index) {
      problems.add(place,
                   fmt::format("{}: {} is a list of {}; name an item by its index, counted from 0",
                               path, owner, base.items().size()));
      return base;
    }
    std::vector<Value> items = base.items();
    if (is_last && value.is_null())
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(*index));
    else
      items[*index] = changed(items[*index]);
    return Value::list(std::move(items), base.at());
  }
  if (base.is_scalar()) {
    problems.add(place, fmt::format("{}: {} is {}, which has no options of its own", path, owner,
                                    describe(base)));
    return base;
  }

  const Value* old = base.find(step);
  if (value.is_null() && (is_last || !old)) return base.without(step);
  const Value map =
      base.is_map() ? base : Value::map({}, base.at().source ? base.at() : value.at());
  if (is_last && step == "type" && old && old->text() != value.text())
    return Value::map({{"type", value}}, map.at(), {place});
  return map.with(step, changed(old ? *old : Value()), place);
}

}  // namespace

Value apply_override(const Value& base, std::string_view path, const Value& value,
                     Problems& problems) {
  return apply_at(base, path, 0, value, problems);
}

}  // namespace assay
