#include "experiment/schema.h"
#include "cli/json.h"
#include "cli/request.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/setup.h"

namespace assay {
namespace {

ExitCode execute_schema(const Arguments& arguments) {
  if (arguments.words.size() > 1)
    throw Error(ExitCode::usage,
                "schema: wanted at most one section; usage: assay schema [SECTION]");
  Registry registry(default_plugin_path(plugin_folders(arguments)));
  write_out(
      write_json(experiment_schema(registry, arguments.words.empty() ? "" : arguments.words[0])));
  return ExitCode::done;
}

std::vector<Candidate> complete_schema(const Unfinished& line) {
  std::vector<Candidate> found;
  for (const std::string& section : experiment_sections())
    if (line.before.words.empty() && section.starts_with(line.word)) found.push_back({section, ""});
  return found;
}

}  // namespace

Verb schema_verb() {
  Verb verb;
  verb.name = "schema";
  verb.synopsis = "[SECTION] [options]";
  verb.summary = "Print the JSON Schema of experiment files, for editors and validators.";
  verb.details =
      "It covers the options of every plugin that is found: types, bounds, choices, defaults, "
      "descriptions, and rules between options where JSON Schema can say them. SECTION (model, "
      "train, ...) gives that of a group's file. Editors with yaml-language-server check a file "
      "whose first line is: # yaml-language-server: $schema=assay.schema.json";
  verb.options = {plugins_option()};
  verb.examples = {"assay schema > assay.schema.json", "assay schema model > model.schema.json"};
  verb.complete = complete_schema;
  verb.execute = execute_schema;
  return verb;
}

}  // namespace assay
