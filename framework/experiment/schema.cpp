#include "experiment/schema.h"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "config/schema.h"
#include "config/yaml.h"
#include "experiment/adaptive.h"
#include "experiment/collection.h"
#include "experiment/setup.h"

namespace assay {
namespace {

Value list(std::vector<Value> items) {
  return Value::list(std::move(items), {});
}
Value map(std::vector<Value::Entry> entries) {
  return Value::map(std::move(entries), {});
}
Value reference(const std::string& name) {
  return map({{"$ref", schema_text("#/definitions/" + name)}});
}
// Small schemas as YAML; all their scalars are texts but those of numbers and truth.
Value schema_of(const char* yaml) {
  return read_yaml(yaml, "schema");
}

/// The plugins of a kind, opened. A refused one is left out: no experiment can name it.
std::vector<std::shared_ptr<const PluginEntry>> open_all(Registry& registry,
                                                         const std::string& kind) {
  std::vector<std::shared_ptr<const PluginEntry>> entries;
  for (const PluginFacts& facts : registry.list()) {
    if (facts.kind != kind || !facts.refused.empty()) continue;
    Problems problems;
    if (auto entry = registry.open(kind, facts.name, {}, problems)) entries.push_back(entry);
  }
  return entries;
}

// What a section of this kind can say beside the options of its plugin.
std::vector<Value::Entry> beside_options(const std::string& kind, const Value& defaults) {
  std::vector<Value::Entry> beside = {{"defaults", defaults}};
  if (kind != Tokenizer::kKind) return beside;
  const auto text = [](const char* description) {
    return map({{"type", schema_text("string")}, {"description", schema_text(description)}});
  };
  beside.emplace_back("from", text("Result file of the run that trained it."));
  beside.emplace_back("digest", text("Of the tokenizer that the file must hold."));
  return beside;
}

// The section of a plugin. Without a type it may be a part of one that is composed: then only names
// are checked.
void define_kind(Registry& registry, const std::string& kind, const Value& defaults,
                 std::vector<Value::Entry>& definitions) {
  std::vector<Value> types, branches;
  std::set<std::string> names = {"type"};
  const std::vector<Value::Entry> beside = beside_options(kind, defaults);
  for (const auto& [key, value] : beside) names.insert(key);
  for (const auto& entry : open_all(registry, kind)) {
    const std::string& name = entry->facts.name;
    const std::string definition = kind + " " + name;
    OptionTable options = entry->options;
    if (kind == "model")
      for (const auto& own : describe_options<AdaptationOptions>().entries)
        options.entries.push_back(own);
    Value schema = table_schema(options, name, entry->facts.summary);
    Value properties = *schema.find("properties");
    for (const auto& [key, value] : beside) properties = properties.with(key, value);
    definitions.emplace_back(definition, schema.with("properties", properties));
    for (const OptionTable::Entry& option : options.entries) names.insert(option.info.name);
    types.push_back(
        map({{"const", schema_text(name)}, {"description", schema_text(entry->facts.summary)}}));
    const Value is_type = map({{"properties", map({{"type", map({{"const", schema_text(name)}})}})},
                               {"required", list({schema_text("type")})}});
    branches.push_back(map({{"if", is_type}, {"then", reference(definition)}}));
  }
  std::vector<Value> known;
  for (const std::string& name : names) known.push_back(schema_text(name));
  types.push_back(schema_of("{\"type\": \"string\", \"pattern\": \"\\\\$\\\\{\"}"));
  definitions.emplace_back(
      kind, map({{"type", schema_text("object")},
                 {"properties", map({{"type", map({{"anyOf", list(std::move(types))}})}})},
                 {"propertyNames", map({{"enum", list(std::move(known))}})},
                 {"allOf", list(std::move(branches))}}));
}

void collect_kinds(const OptionTable& table, std::set<std::string>& kinds) {
  for (const OptionTable::Entry& entry : table.entries) {
    if (!entry.info.kind.empty()) kinds.insert(entry.info.kind);
    if (entry.info.section) collect_kinds(*entry.info.section, kinds);
  }
}

const OptionInfo& find_section(const OptionTable& table, const std::string& name) {
  std::vector<std::string> names;
  for (const OptionTable::Entry& entry : table.entries) {
    if (entry.info.type != OptionInfo::Type::any) continue;
    if (entry.info.name == name) return entry.info;
    names.push_back(entry.info.name);
  }
  const auto near = near_match(name, names);
  throw Error(ExitCode::usage, fmt::format("schema: there is no section {}; {}", quote(name),
                                           near ? fmt::format("did you mean {}?", *near)
                                                : "the sections are " + join(names)));
}

// A list of experiments in place of an experiment.
Value collection_schema() {
  const Value list_of = table_schema(collection_options(), "", "A list of experiments to run.");
  const Value entry = table_schema(collection_entry_options(), "", "An experiment of the list.");
  const Value entries = map({{"type", schema_text("array")},
                             {"minItems", Value::scalar("1", false, {})},
                             {"items", entry}});
  return list_of.with("properties", list_of.find("properties")->with("experiments", entries));
}

// Several runs (sweep.h).
Value sweep_schema() {
  const Value axes = schema_of(
      "{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": ["
      "{\"type\": \"array\", \"minItems\": 1}, "
      "{\"$ref\": \"#/definitions/sweep_range\"}]}}");
  const Value list_of =
      map({{"anyOf", list({map({{"type", schema_text("string")}}),
                           map({{"type", schema_text("array")},
                                {"items", map({{"type", schema_text("object")}})},
                                {"minItems", Value::scalar("1", false, {})}})})}});
  const Value parts = map({{"type", schema_text("array")},
                           {"minItems", Value::scalar("1", false, {})},
                           {"items", reference("sweep")}});
  Value properties = *table_schema(describe_options<AdaptiveOptions>(), "", "").find("properties");
  properties =
      properties.with("list", list_of)
          .with("grid", axes)
          .with("zip", axes)
          .with("union", parts)
          .with("where", schema_of("{\"type\": [\"string\", \"array\"], \"items\": "
                                   "{\"type\": \"string\"}}"))
          .with("when", schema_of("{\"type\": \"object\", \"additionalProperties\": "
                                  "{\"type\": \"string\"}}"))
          .with("replicates", schema_of("{\"type\": \"integer\", \"minimum\": 1}"))
          .with("retries", schema_of("{\"type\": \"integer\", \"minimum\": 0}"))
          .with("space", schema_of("{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": ["
                                   "{\"type\": \"array\", \"minItems\": 1}, "
                                   "{\"$ref\": \"#/definitions/sweep_choice\"}]}}"));
  return map({{"type", list({schema_text("object"), schema_text("null")})},
              {"description", schema_text("Several runs: list, grid, zip and union multiply, where "
                                          "filters; a search chooses.")},
              {"properties", properties},
              {"additionalProperties", Value::scalar("false", false, {})}});
}

// What a search chooses from (search_space.h).
Value sweep_choice_schema() {
  return schema_of(
      "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {"
      "\"uniform\": {\"$ref\": \"#/definitions/sweep_ends\"}, "
      "\"log_uniform\": {\"$ref\": \"#/definitions/sweep_ends\"}, "
      "\"choice\": {\"type\": \"array\", \"minItems\": 1}, "
      "\"step\": {\"type\": \"number\", \"exclusiveMinimum\": 0}}, "
      "\"oneOf\": [{\"required\": [\"uniform\"]}, {\"required\": [\"log_uniform\"]}, "
      "{\"required\": [\"choice\"]}]}");
}

// The values of an axis by a rule (sweep_values.h).
Value sweep_range_schema() {
  return schema_of(
      "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {"
      "\"range\": {\"$ref\": \"#/definitions/sweep_ends\"}, "
      "\"linspace\": {\"$ref\": \"#/definitions/sweep_ends\"}, "
      "\"logspace\": {\"$ref\": \"#/definitions/sweep_ends\"}, "
      "\"step\": {\"type\": \"number\", \"exclusiveMinimum\": 0}, "
      "\"points\": {\"type\": \"integer\", \"minimum\": 2}}, "
      "\"oneOf\": [{\"required\": [\"range\", \"step\"]}, {\"required\": [\"linspace\", "
      "\"points\"]}, {\"required\": [\"logspace\", \"points\"]}]}");
}

}  // namespace

Value experiment_schema(Registry& registry, const std::string& section) {
  const OptionTable table = experiment_options();
  const Value defaults = schema_of(
      "{\"type\": \"array\", \"description\": \"Files and groups that stand below this file.\", "
      "\"items\": {\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"object\", "
      "\"additionalProperties\": {\"type\": [\"string\", \"number\"]}}]}}");
  std::vector<Value::Entry> definitions;
  std::set<std::string> kinds;
  collect_kinds(table, kinds);
  collect_kinds(describe_options<AdaptiveOptions>(), kinds);
  for (const std::string& kind : kinds) define_kind(registry, kind, defaults, definitions);

  // What a file can say at all; what it must say depends on what stands below and above it.
  Value part = table_schema(table, "", "A transformer experiment of Assay.");
  Value properties = *part.find("properties");
  definitions.emplace_back("sweep", sweep_schema());
  definitions.emplace_back("sweep_range", sweep_range_schema());
  definitions.emplace_back("sweep_choice", sweep_choice_schema());
  definitions.emplace_back("sweep_ends",
                           schema_of("{\"type\": \"array\", \"items\": {\"type\": \"number\"}, "
                                     "\"minItems\": 2, \"maxItems\": 2}"));
  definitions.emplace_back("part", part);
  for (const std::string& name : experiment_sections()) {
    const Value group = map({{"type", schema_text("string")},
                             {"description", schema_text("A group: the file " + name +
                                                         "/NAME.yaml of the search path.")}});
    if (const Value* own = properties.find(name))
      properties = properties.with(name, map({{"anyOf", list({*own, group})}}));
  }
  properties = properties.with("defaults", defaults).with("sweep", reference("sweep"));
  definitions.emplace_back("experiment", part.with("properties", properties));

  std::vector<Value::Entry> schema = {
      {"$schema", schema_text("http://json-schema.org/draft-07/schema#")},
      {"title", schema_text(section.empty() ? "Assay experiment" : "Assay section " + section)}};
  if (section.empty()) {
    definitions.emplace_back("collection", collection_schema());
    schema.emplace_back("if", schema_of("{\"required\": [\"experiments\"]}"));
    schema.emplace_back("then", reference("collection"));
    schema.emplace_back(
        "else", map({{"allOf", list({reference("experiment")})},
                     {"if", schema_of("{\"not\": {\"anyOf\": [{\"required\": [\"defaults\"]}, "
                                      "{\"required\": [\"sweep\"]}]}}")},
                     {"then", schema_of("{\"anyOf\": [{\"required\": [\"probe\"]}, "
                                        "{\"required\": [\"dataset\", \"model\"]}]}")}}));
  } else {
    const OptionInfo& info = find_section(table, section);
    if (info.section) {
      Value own = table_schema(*info.section, "", info.help);
      own = own.with("properties", own.find("properties")->with("defaults", defaults));
      schema.emplace_back("allOf", list({own}));
    } else {
      schema.emplace_back("allOf", list({option_schema(info)}));
    }
  }
  schema.emplace_back("definitions", map(std::move(definitions)));
  return map(std::move(schema));
}

}  // namespace assay
