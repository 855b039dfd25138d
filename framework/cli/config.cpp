#include <fmt/format.h>

#include <algorithm>

#include "cli/request.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "config/yaml.h"
#include "experiment/collection.h"
#include "experiment/explain.h"
#include "experiment/setup.h"

namespace assay {
namespace {

std::string explanation_text(const Explanation& e, const Terminal& terminal) {
  std::string text = styled(terminal, Style::bold, printable(e.key)) +
                     (e.value.empty() ? " is not set" : " = " + printable(e.value));
  if (!e.otherwise.empty() && !e.value.empty()) text += "  (" + e.otherwise + ")";
  text += "\n";
  bool holds = e.otherwise.empty();
  for (const Explanation::Setting& setting : e.settings) {
    text += fmt::format("  {:<8} {}  {}\n",
                        holds             ? "set at"
                        : e.value.empty() ? "dropped"
                                          : "over",
                        printable(setting.place), printable(setting.written));
    holds = false;
  }
  return text;
}

void add_part(const ConfigPart& part, const std::string& margin, const std::string& branch,
              std::string& text) {
  const std::string file = part.file.string();
  text +=
      branch + printable(part.title) + (part.title == file ? "" : "  " + printable(file)) + "\n";
  for (std::size_t i = 0; i < part.below.size(); ++i) {
    const bool last = i + 1 == part.below.size();
    add_part(part.below[i], margin + (last ? "   " : "│  "), margin + (last ? "└─ " : "├─ "), text);
  }
}

// The files, then what the grid and the command line set; below what chooses groups, their files.
std::string tree_text(const ComposedExperiment& composed, const ExperimentRequest& request) {
  std::string text;
  add_part(composed.file, "", "", text);
  Composer composer(experiment_search_path(request), experiment_sections());
  Problems problems;  // none: the choices were read once
  const auto add_change = [&](const Override& change, const std::string& title) {
    ConfigPart part{title, title, {}, {}};
    for (const std::string& name : change.names)
      part.below.push_back(composer.choose(change.path, name, change.path_at, problems));
    add_part(part, "", "", text);
  };
  for (const Override& change : composed.grid) add_change(change, "sweep.grid." + change.path);
  for (const Override& change : composed.overrides) add_change(change, change.argument);
  return text;
}

std::string search_path_text(const SearchPath& path) {
  std::string text;
  for (const ConfigFolder& entry : path.folders) {
    std::error_code ignored;
    const bool there = std::filesystem::is_directory(entry.folder, ignored);
    text += fmt::format("{}  ({}{})\n", printable(entry.folder.string()), entry.origin,
                        there ? "" : "; not there");
  }
  return text;
}

// One text per run, told apart by a comment where there are several.
template <class TextOf>
std::string per_run(const std::vector<PlannedRun>& runs, TextOf text_of) {
  std::string text;
  for (const PlannedRun& run : runs) {
    if (runs.size() > 1) text += fmt::format("{}# {}\n", text.empty() ? "" : "---\n", run.run);
    text += text_of(run);
  }
  return text;
}

ExitCode execute_config(const Arguments& arguments) {
  int modes = 0;
  for (const char* mode : {"why", "minimal", "tree", "searchpath"}) modes += arguments.has(mode);
  if (modes > 1)
    throw Error(ExitCode::usage, "config: give one of --why, --minimal, --tree and --searchpath");
  if (arguments.has("searchpath") && arguments.words.empty()) {
    ExperimentRequest request;
    request.plugins = plugin_folders(arguments);
    write_out(search_path_text(experiment_search_path(request)));
    return ExitCode::done;
  }
  const ExperimentRequest request = read_request("config", arguments);
  if (arguments.has("searchpath")) {
    write_out(search_path_text(experiment_search_path(request)));
    return ExitCode::done;
  }
  if (const auto entries = read_collection(request)) {
    throw Error(ExitCode::usage,
                fmt::format("config: {} lists other experiments; give one of them, "
                            "such as {}",
                            request.file.string(), entries->front().request.file.string()));
  }
  Registry registry(default_plugin_path(request.plugins));
  Problems problems;
  const ComposedExperiment composed = compose_experiment(request, problems);
  if (arguments.has("tree")) {
    problems.raise();
    write_out(tree_text(composed, request));
    return ExitCode::done;
  }
  const std::vector<PlannedRun> runs = resolve_runs(composed, request, registry, problems);
  problems.raise();
  if (const auto key = arguments.value("why")) {
    const Terminal terminal = Terminal::of(stdout);
    write_out(per_run(runs, [&](const PlannedRun& run) {
      std::string text;
      const Trial& trial = composed.trials[run.trial];
      for (const Explanation& e : explain(composed, trial, run.setup, *key))
        text += explanation_text(e, terminal);
      return text;
    }));
  } else if (arguments.has("minimal")) {
    write_out(per_run(runs, [&](const PlannedRun& run) {
      return minimal_config(run.setup, request.file, registry);
    }));
  } else {
    write_out(per_run(runs, [](const PlannedRun& run) {
      return write_yaml(with_expectations(run.setup, run.setup.resolved));
    }));
  }
  return ExitCode::done;
}

}  // namespace

Verb config_verb() {
  Verb verb;
  verb.name = "config";
  verb.synopsis = "FILE [KEY=VALUE ...] [options]";
  verb.summary = "Print the resolved configuration, or say where its values come from.";
  verb.details =
      "A file may start with defaults: [base.yaml, {model: small}], which stand below it; "
      "model/small.yaml is looked for on the search path. The command line stands above the file: "
      "KEY=VALUE sets, +KEY=VALUE adds what is not there, ++KEY=VALUE replaces as a whole, ~KEY "
      "deletes, KEY.0=VALUE is an item of a list, GROUP=CHOICE a file, KEY:=JSON strict JSON. "
      "Values may refer to others, ${model.width}, and to the environment, ${env:NAME,default}. "
      "What is printed is YAML that runs the same; its paths are relative to FILE's folder.";
  verb.options = {{"why", 0, "KEY", "Say what sets an option or a section, and over what."},
                  {"minimal", 0, "", "Only what differs from defaults; it runs the same."},
                  {"tree", 0, "", "The files it is composed of."},
                  {"searchpath", 0, "", "Where files and groups are looked for."},
                  plugins_option()};
  verb.examples = {"assay config experiments/shakespeare/gpt.yaml model.width=128",
                   "assay config experiments/shakespeare/gpt.yaml --why train",
                   "assay config experiments/shakespeare/gpt.yaml --minimal > short.yaml"};
  verb.complete = complete_experiment;
  verb.execute = execute_config;
  return verb;
}

}  // namespace assay
