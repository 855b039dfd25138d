#include "cli/plugin_help.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/json.h"
#include "cli/numbers.h"
#include "cli/table.h"

namespace assay {
namespace {

const char* type_name(OptionInfo::Type type) {
  switch (type) {
    case OptionInfo::Type::integer:
      return "integer";
    case OptionInfo::Type::real:
      return "number";
    case OptionInfo::Type::boolean:
      return "true or false";
    case OptionInfo::Type::text:
      return "text";
    case OptionInfo::Type::duration:
      return "steps, tokens (20Mt) or epochs (2e)";
    case OptionInfo::Type::any:
      break;
  }
  return "any value";
}

std::string bounds_text(const OptionInfo& option) {
  std::vector<std::string> bounds;
  if (option.minimum) {
    bounds.push_back((option.exclusive_minimum ? "above " : "at least ") +
                     exact_text(*option.minimum));
  }
  if (option.maximum) {
    bounds.push_back((option.exclusive_maximum ? "below " : "at most ") +
                     exact_text(*option.maximum));
  }
  return join(bounds);
}

std::string default_of(const OptionInfo& option) {
  if (option.required) return "required";
  return option.default_text.empty() ? "not set" : option.default_text;
}

Value bound_json(const std::optional<double>& bound) {
  return bound ? json_number(*bound) : Value();
}

}  // namespace

std::string option_type_text(const OptionInfo& option) {
  std::string text =
      option.choices.empty() ? type_name(option.type) : "one of " + join(option.choices, "or");
  if (option.list) text = "list of: " + text;
  const std::string bounds = bounds_text(option);
  return bounds.empty() ? text : text + ", " + bounds;
}

std::string plugin_text(const PluginEntry& plugin, const Terminal& terminal) {
  const PluginFacts& facts = plugin.facts;
  std::string text = fmt::format("{} {}: {}\n", facts.kind,
                                 styled(terminal, Style::bold, facts.name), facts.summary);
  text += fmt::format("version {}, {}\n", facts.version, facts.file.string());
  text += fmt::format("In an experiment:  {}: {{type: {}}}\n\n", facts.kind, facts.name);
  if (plugin.options.entries.empty()) return text + "It has no options.\n";
  constexpr int kIndent = 4;
  for (const OptionTable::Entry& entry : plugin.options.entries) {
    const OptionInfo& option = entry.info;
    text += fmt::format("  {}  {}; default {}\n", styled(terminal, Style::bold, option.name),
                        option_type_text(option), default_of(option));
    text += std::string(kIndent, ' ') +
            wrapped(option.help, std::min(terminal.width, 100) - kIndent, kIndent) + "\n";
  }
  if (!plugin.options.rules.empty()) {
    text += "\nRules:\n";
    for (const OptionTable::Rule& rule : plugin.options.rules)
      text += "  " + (rule.text.empty() ? "others, which assay check tells" : rule.text) + "\n";
  }
  return text;
}

Value plugin_json(const PluginEntry& plugin) {
  std::vector<Value> options;
  for (const OptionTable::Entry& entry : plugin.options.entries) {
    const OptionInfo& option = entry.info;
    std::vector<Value> choices;
    for (const std::string& choice : option.choices) choices.push_back(json_text(choice));
    options.push_back(Value::map(
        {{"name", json_text(option.name)},
         {"type", json_text(type_name(option.type))},
         {"list", json_truth(option.list)},
         {"required", json_truth(option.required)},
         {"default", option.default_text.empty() ? Value() : json_text(option.default_text)},
         {"minimum", bound_json(option.minimum)},
         {"exclusive_minimum", json_truth(option.exclusive_minimum)},
         {"maximum", bound_json(option.maximum)},
         {"exclusive_maximum", json_truth(option.exclusive_maximum)},
         {"choices", Value::list(std::move(choices), {})},
         {"help", json_text(option.help)}},
        {}));
  }
  std::vector<Value> rules;
  for (const OptionTable::Rule& rule : plugin.options.rules)
    if (!rule.text.empty()) rules.push_back(json_text(rule.text));
  return Value::map({{"kind", json_text(plugin.facts.kind)},
                     {"name", json_text(plugin.facts.name)},
                     {"version", json_text(plugin.facts.version)},
                     {"summary", json_text(plugin.facts.summary)},
                     {"file", json_text(plugin.facts.file.string())},
                     {"sha256", json_text(plugin.sha256)},
                     {"options", Value::list(std::move(options), {})},
                     {"rules", Value::list(std::move(rules), {})}},
                    {});
}

}  // namespace assay
