#include "experiment/collection.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/stop.h"
#include "base/text.h"
#include "config/options.h"
#include "config/yaml.h"
#include "experiment/plan.h"

namespace assay {
namespace {

struct Listed {
  std::string system, file;
  std::vector<std::string> with;
  static void describe(OptionList<Listed>& o) {
    o.add("system", &Listed::system, "What it reproduces, for the table.");
    o.add("file", &Listed::file, "The experiment.").required();
    o.add("with", &Listed::with, "Settings as on the command line: [\"seed=1,2,3,4\"].");
  }
};

struct ListOptions {
  std::string name;
  Value experiments;
  static void describe(OptionList<ListOptions>& o) {
    o.add("name", &ListOptions::name, "Of the list.");
    o.add("experiments", &ListOptions::experiments, "The experiments to run.");
  }
};

// Also where the key is misspelt: then its options say so.
bool is_list(const Value& root) {
  const auto names_list = [](const Value::Entry& entry) {
    return entry.first == "experiments" || near_match(entry.first, {"experiments"});
  };
  return std::any_of(root.entries().begin(), root.entries().end(), names_list);
}

CollectionEntry entry_of(const Listed& listed, const Value& written,
                         const ExperimentRequest& request) {
  CollectionEntry entry{listed.system, listed.file, request, written.at(), written.at()};
  if (const Value* file = written.find("file")) entry.at = file->at();
  if (const Value* with = written.find("with")) entry.with_at = with->at();
  entry.request.file = request.file.parent_path() / listed.file;
  entry.request.overrides = listed.with;
  return entry;
}

// Everything wrong with an entry's experiment.
void check(const CollectionEntry& entry, Problems& problems) {
  Problems found;
  try {
    Registry registry(default_plugin_path(entry.request.plugins));
    const ComposedExperiment composed = compose_experiment(entry.request, found);
    // What a search sets may be missing without it: its first batch is looked at when it starts.
    if (!composed.sweep.find("space")) resolve_runs(composed, entry.request, registry, found);
  } catch (const Error& error) {
    if (error.code() != ExitCode::usage)
      throw Error(error.code(), problem_text(entry.at, error.what()));
    if (found.empty()) problems.add(entry.at, error.what());
  }
  for (const Problem& problem : found.list()) {
    if (problem.at.is_argument())
      problems.add(entry.with_at, problem.where + ": " + problem.message);
    else
      problems.add(problem.at, problem.message);
  }
}

// Of all, before the first one runs.
void check_all(const std::vector<CollectionEntry>& entries) {
  Problems problems;
  for (const CollectionEntry& entry : entries) check(entry, problems);
  problems.raise();
}

}  // namespace

OptionTable collection_options() {
  return describe_options<ListOptions>();
}
OptionTable collection_entry_options() {
  return describe_options<Listed>();
}

std::optional<std::vector<CollectionEntry>> read_collection(const ExperimentRequest& request) {
  Problems problems;
  const Value root = read_yaml_file(request.file, problems);
  if (!is_list(root)) return std::nullopt;  // its problems are told with all others
  ListOptions top;
  describe_options<ListOptions>().read(&top, root, "", "a list of experiments", problems);
  if (root.find("experiments") && (!top.experiments.is_list() || top.experiments.items().empty()))
    problems.add(top.experiments.at(), fmt::format("experiments: wanted a list such as [{{file: "
                                                   "gpt.yaml}}], got {}",
                                                   describe(top.experiments)));
  for (const std::string& setting : request.overrides)
    problems.add(fmt::format("argument '{}'", setting),
                 fmt::format("{} lists other experiments, which are run as they stand; write it "
                             "under `with` of an entry, or run that file",
                             request.file.string()));
  if (!request.output.empty() || !request.folder.empty())
    problems.add(request.file.string(),
                 "lists other experiments, each with its own folder of results: give no -o, --out");
  std::vector<CollectionEntry> entries;
  for (std::size_t i = 0; i < top.experiments.items().size(); ++i) {
    Listed listed;
    const Value& written = top.experiments.items()[i];
    describe_options<Listed>().read(&listed, written, fmt::format("experiments.{}", i), "an entry",
                                    problems);
    entries.push_back(entry_of(listed, written, request));
  }
  problems.raise();
  check_all(entries);
  return entries;
}

std::vector<RunCheck> check_file(const ExperimentRequest& request) {
  const auto entries = read_collection(request);
  if (!entries) return check_experiment(request);
  std::vector<RunCheck> checks;
  for (const CollectionEntry& entry : *entries)
    for (RunCheck& check : check_experiment(entry.request)) checks.push_back(std::move(check));
  return checks;
}

std::vector<CollectionResult> run_collection(const std::vector<CollectionEntry>& entries,
                                             Reporter& reporter) {
  std::vector<CollectionResult> results;
  for (const CollectionEntry& entry : entries) {
    if (stop_requested()) break;
    CollectionResult& last = results.emplace_back();
    try {
      last.result = run_experiment(entry.request, reporter);
    } catch (const Error& error) {
      last.error = error.what();
      last.result.code = error.code();
    }
  }
  return results;
}

ExitCode collection_code(const std::vector<CollectionResult>& results) {
  if (stop_requested()) return ExitCode::stopped;
  const auto bad = std::count_if(results.begin(), results.end(), [](const CollectionResult& r) {
    return r.result.code != ExitCode::done;
  });
  if (bad == 0) return ExitCode::done;
  const ExitCode first = results.front().result.code;
  const bool alike = std::all_of(results.begin(), results.end(),
                                 [&](const CollectionResult& r) { return r.result.code == first; });
  return alike ? first : ExitCode::failed;
}

}  // namespace assay
