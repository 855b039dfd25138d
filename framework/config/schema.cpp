#include "config/schema.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "config/scalar.h"
#include "config/yaml.h"

namespace assay {
namespace {

constexpr const char* kReference = "\\$\\{";  // a text with ${...}, which is checked when resolved
constexpr const char* kAmount = "[+]?[0-9]*[.]?[0-9]+([eE][+-]?[0-9]+)?";

Value number(double value) {
  return Value::scalar(real_text(value), false, {});
}
Value truth(bool value) {
  return Value::scalar(value ? "true" : "false", false, {});
}
Value list(std::vector<Value> items) {
  return Value::list(std::move(items), {});
}
Value map(std::vector<Value::Entry> entries) {
  return Value::map(std::move(entries), {});
}

// YAML's scalars as JSON's.
Value as_schema(const Value& yaml) {
  std::vector<Value> items;
  std::vector<Value::Entry> entries;
  for (const Value& item : yaml.items()) items.push_back(as_schema(item));
  for (const auto& [key, entry] : yaml.entries()) entries.emplace_back(key, as_schema(entry));
  if (yaml.is_list()) return list(std::move(items));
  if (yaml.is_map()) return map(std::move(entries));
  double ignored = 0;
  const bool bare =
      yaml.is_null() || (!yaml.quoted() && (parse_boolean(yaml.text()) ||
                                            parse_real(yaml.text(), ignored) == NumberError::none));
  return bare ? yaml : schema_text(yaml.text());
}

Value of_type(const char* type) {
  return map({{"type", schema_text(type)}});
}

Value matching(const std::string& pattern) {
  return map({{"type", schema_text("string")}, {"pattern", schema_text(pattern)}});
}

void add_bounds(const OptionInfo& option, std::vector<Value::Entry>& schema) {
  if (option.minimum)
    schema.emplace_back(option.exclusive_minimum ? "exclusiveMinimum" : "minimum",
                        number(*option.minimum));
  if (option.maximum)
    schema.emplace_back(option.exclusive_maximum ? "exclusiveMaximum" : "maximum",
                        number(*option.maximum));
}

// What one item can be, references and null aside.
std::vector<Value> alternatives(const OptionInfo& option) {
  std::vector<Value::Entry> bounded = {{"type", schema_text("integer")}};
  switch (option.type) {
    case OptionInfo::Type::integer:
      add_bounds(option, bounded);
      return {map(std::move(bounded))};
    case OptionInfo::Type::real:
      bounded[0].second = schema_text("number");
      add_bounds(option, bounded);
      return {map(std::move(bounded))};
    case OptionInfo::Type::boolean:
      return {of_type("boolean")};
    case OptionInfo::Type::duration:
      add_bounds(option, bounded);
      return {
          map(std::move(bounded)),
          matching(fmt::format("^{}({})$", kAmount, option.seconds ? "[kMG]?t|e|s" : "[kMG]?t|e"))};
    case OptionInfo::Type::text: {
      if (option.choices.empty())  // 1.10 and no are text where text is wanted
        return {map({{"type", list({schema_text("string"), schema_text("number"),
                                    schema_text("boolean")})}})};
      std::vector<Value> choices;
      for (const std::string& choice : option.choices) choices.push_back(schema_text(choice));
      return {map({{"enum", list(std::move(choices))}})};
    }
    case OptionInfo::Type::any:
      break;
  }
  if (option.section) return {table_schema(*option.section, "", "")};
  if (!option.kind.empty()) {
    const Value plugin = map({{"$ref", schema_text(kind_reference(option.kind))}});
    if (!option.chain) return {plugin};
    return {plugin, map({{"type", schema_text("array")},
                         {"minItems", Value::scalar("1", false, {})},
                         {"items", plugin}})};
  }
  return {map({})};
}

Value any_of(std::vector<Value> schemas) {
  return schemas.size() == 1 ? schemas[0] : map({{"anyOf", list(std::move(schemas))}});
}

}  // namespace

Value schema_text(std::string_view text) {
  return Value::scalar(std::string(text), true, {});
}

std::string kind_reference(const std::string& kind) {
  return "#/definitions/" + kind;
}

Value option_schema(const OptionInfo& option) {
  std::vector<Value> schemas = alternatives(option);
  if (option.list) {
    schemas.push_back(matching(kReference));
    schemas = {map({{"type", schema_text("array")}, {"items", any_of(std::move(schemas))}})};
  }
  schemas.push_back(matching(kReference));
  schemas.push_back(of_type("null"));
  std::vector<Value::Entry> entries = {{"description", schema_text(option.help)}};
  if (!option.default_text.empty())
    entries.emplace_back("default", as_schema(read_yaml(option.default_text, "default")));
  entries.emplace_back("anyOf", list(std::move(schemas)));
  return map(std::move(entries));
}

Value table_schema(const OptionTable& table, const std::string& type,
                   const std::string& description) {
  std::vector<Value::Entry> properties;
  std::vector<Value> rules;
  if (!type.empty()) properties.emplace_back("type", map({{"const", schema_text(type)}}));
  for (const OptionTable::Entry& entry : table.entries)
    properties.emplace_back(entry.info.name, option_schema(entry.info));
  for (const OptionTable::Rule& rule : table.rules)
    if (!rule.schema.empty()) {
      Value schema = as_schema(read_yaml(rule.schema, "rule"));
      rules.push_back(schema.with("description", schema_text(rule.text)));
    }
  std::vector<Value::Entry> entries = {{"type", schema_text("object")}};
  if (!description.empty()) entries.emplace_back("description", schema_text(description));
  entries.emplace_back("properties", map(std::move(properties)));
  entries.emplace_back("additionalProperties", truth(false));
  if (!rules.empty()) entries.emplace_back("allOf", list(std::move(rules)));
  return map(std::move(entries));
}

}  // namespace assay
