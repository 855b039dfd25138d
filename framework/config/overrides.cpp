#include "config/overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "config/json.h"
#include "config/references.h"
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
    if (i == 0 && (path[0] == '+' || path[0] == '~'))
      return std::pair(i, "only '+', '++' or '~' may stand before an option's path");
    if (static_cast<unsigned char>(path[i]) <= ' ' || path[i] == '"' || path[i] == '\'')
      return std::pair(i, "an option's path has no spaces and quotes; write model.width=64");
  }
  if (path.empty()) return std::pair(std::size_t{0}, "the option's path is missing");
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
      : text_(text),
        source_(
            std::make_shared<const Source>(Source{"argument " + quote(text), std::string(text)})) {}

  std::string_view text() const { return text_; }
  Location at(std::size_t offset) const {
    return {source_, 0, static_cast<int>(utf8_count(text_.substr(0, offset))) + 1};
  }

 private:
  std::string_view text_;
  std::shared_ptr<const Source> source_;
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
    if (const std::size_t open = unclosed_reference(text); !list && open != std::string_view::npos)
      problems.add(argument.at(equals + 1 + open),
                   "the '}' of '${' is missing; write $${ in quotes for a plain ${");
    else if (!list && at_our_brackets)
      problems.add(argument.at(equals + 1),
                   "brackets do not pair up, a quote is not closed, or '#' starts a comment; put "
                   "text with such signs in quotes");
    else
      problems.add(problem.at, problem.message);
  }
  return list && found.empty() ? list->items() : std::vector<Value>{};
}

// The mark before the path, and its length.
std::pair<Override::Kind, std::size_t> read_mark(std::string_view text) {
  if (text.substr(0, 2) == "++") return {Override::Kind::replace, 2};
  if (text.substr(0, 1) == "+") return {Override::Kind::add, 1};
  if (text.substr(0, 1) == "~") return {Override::Kind::remove, 1};
  return {Override::Kind::set, 0};
}

// The values behind the path, which ends at `end` ("=" or ":=" follow).
std::vector<Value> read_values(const Argument& argument, Override::Kind kind, std::size_t end,
                               Problems& problems) {
  const std::string_view rest = argument.text().substr(end);
  if (kind == Override::Kind::remove) {
    if (rest.empty()) return {Value::null(argument.at(0))};
    problems.add(argument.at(end), "'~' deletes and takes no value; remove what follows the path");
  } else if (rest.empty()) {
    problems.add(argument.at(0), "wanted an option and its value, such as model.width=64");
  } else if (rest[0] == ':') {
    if (const auto value = parse_json(rest.substr(2), argument.at(end + 2), problems))
      return {*value};
  } else {
    return read_choices(argument, end, problems);
  }
  return {};
}

}  // namespace

Override read_override(std::string_view text, Problems& problems) {
  Override result;
  if (text.size() > kYamlBytes) {
    problems.add("argument " + quote(text),
                 fmt::format("{} of text, but {} is the limit: put it in a file",
                             human_bytes(static_cast<double>(text.size())),
                             human_bytes(static_cast<double>(kYamlBytes))));
    return result;
  }
  const Argument argument(text);
  result.argument = text;
  const auto fault = [&](std::size_t offset, std::string message) {
    problems.add(argument.at(offset), std::move(message));
    return result;
  };
  if (const std::size_t bad = utf8_error(text); bad != std::string_view::npos)
    return fault(bad, fmt::format("byte {} is not UTF-8", bad));
  if (const std::size_t end = text.find('\n'); end != std::string_view::npos)
    return fault(end, "a line end; write \\n, in double quotes");
  const auto [kind, start] = read_mark(text);
  const std::size_t equals = std::min(text.find('='), text.size());
  const bool is_json = equals < text.size() && equals > start && text[equals - 1] == ':';
  const std::size_t end = is_json ? equals - 1 : equals;
  result.kind = kind;
  result.path_at = argument.at(start);
  result.path = text.substr(start, end - start);
  if (equals == text.size() && kind != Override::Kind::remove)
    return fault(0, "wanted an option and its value, such as model.width=64");
  if (const auto wrong = path_fault(result.path)) return fault(start + wrong->first, wrong->second);
  std::vector<Value> choices = read_values(argument, kind, end, problems);
  const auto steps = std::count(result.path.begin(), result.path.end(), '.') + 1;
  for (const Value& choice : choices)
    if (steps + height(choice) > kYamlDepth)
      return fault(0, fmt::format("lists and maps more than {} deep", kYamlDepth));
  result.choices = std::move(choices);
  return result;
}

namespace {

std::vector<std::string> keys_of(const Value& map) {
  std::vector<std::string> keys;
  for (const auto& [key, entry] : map.entries()) keys.push_back(key);
  return keys;
}

// One step of the path after another, down to the value that changes.
class Change {
 public:
  Change(const Override& change, const Value& value, Problems& problems)
      : change_(change), path_(change.path), value_(value), problems_(problems) {}

  Value apply(const Value& base, std::size_t offset) {
    const std::size_t dot = path_.find('.', offset);
    const Step step = {offset, path_.substr(offset, dot - offset), dot == std::string_view::npos};
    if (base.is_list()) return in_list(base, step);
    if (base.is_scalar() && change_.kind != Kind::replace) {
      refuse(step,
             fmt::format("{} is {}, which has no options of its own", owner(step), describe(base)));
      return base;
    }
    return in_map(base.is_scalar() ? Value::null(base.at()) : base, step);
  }

 private:
  using Kind = Override::Kind;
  struct Step {
    std::size_t offset;
    std::string_view name;
    bool is_last;
  };

  Value in_list(const Value& base, const Step& step) {
    const bool appends = change_.kind == Kind::add && step.is_last;
    const std::size_t size = base.items().size();
    const auto index = list_index(step.name, size + (appends ? 1 : 0));
    if (!index) {
      refuse(step, fmt::format("{} is a list of {}; name an item by its index, counted from 0{}",
                               owner(step), size,
                               appends ? fmt::format(", or {} to add one", size) : std::string()));
      return base;
    }
    std::vector<Value> items = base.items();
    const auto at = items.begin() + static_cast<std::ptrdiff_t>(*index);
    if (appends && *index < size)
      refuse_present(step, items[*index]);
    else if (appends)
      items.push_back(value_);
    else if (step.is_last && value_.is_null())
      items.erase(at);
    else
      *at = changed(*at, step);
    return Value::list(std::move(items), base.at());
  }

  Value in_map(const Value& base, const Step& step) {
    const Value* old = base.find(step.name);
    const bool present = old && !old->is_null();
    if (change_.kind == Kind::remove && !present) {
      refuse_absent(step, base);
      return base;
    }
    if (change_.kind == Kind::add && step.is_last && present) {
      refuse_present(step, *old);
      return base;
    }
    if (value_.is_null() && (step.is_last || !old)) return base.without(step.name);
    const Value map =
        base.is_map() ? base : Value::map({}, base.at().source ? base.at() : value_.at());
    const Location at = place(step);
    if (step.is_last && step.name == "type" && old && old->text() != value_.text())
      return Value::map({{"type", value_}}, map.at(), {at});
    return map.with(step.name, changed(old ? *old : Value(), step), at);
  }

  Value changed(const Value& old, const Step& step) {
    if (!step.is_last) return apply(old, step.offset + step.name.size() + 1);
    return change_.kind == Kind::replace || value_.is_null() ? value_ : merge(old, value_);
  }

  // Where the step was written: in its argument, or wherever the value was.
  Location place(const Step& step) const {
    if (!change_.path_at.source) return value_.at();
    Location at = change_.path_at;
    at.column += static_cast<int>(utf8_count(path_.substr(0, step.offset)));
    return at;
  }

  std::string owner(const Step& step) const {
    return std::string(step.offset == 0 ? "the configuration" : path_.substr(0, step.offset - 1));
  }

  void refuse(const Step& step, const std::string& message) {
    problems_.add(place(step), fmt::format("{}: {}", path_, message));
  }

  void refuse_present(const Step& step, const Value& old) {
    refuse(step, fmt::format("is there already, as {} at {}; write {}=... to change it",
                             describe(old), old.at().text(), path_));
  }

  void refuse_absent(const Step& step, const Value& base) {
    const auto keys = keys_of(base);
    const auto near = near_match(step.name, keys);
    refuse(step, fmt::format("nothing to delete: {} has no {}{}", owner(step), quote(step.name),
                             near           ? fmt::format("; did you mean {}?", quote(*near))
                             : keys.empty() ? std::string()
                                            : "; it has " + join(keys)));
  }

  const Override& change_;
  std::string_view path_;
  const Value& value_;
  Problems& problems_;
};

}  // namespace

Value apply_override(const Value& base, const Override& change, const Value& choice,
                     Problems& problems) {
  return Change(change, choice, problems).apply(base, 0);
}

}  // namespace assay
