#include "experiment/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiment/build.h"

namespace assay {
namespace {

constexpr std::size_t kLongestLabel = 80;

// A label as a file name: letters, digits and ._=- stay.
std::string file_name(std::string_view label) {
  std::string name;
  for (char c : label) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("._=-").find(c) != std::string_view::npos;
    name += plain ? c : '-';
  }
  return name.substr(0, kLongestLabel);
}

std::string run_name(const Trial& trial, const RunSetup& setup) {
  std::string label = trial.label;
  if (label.find("seed=") == std::string::npos)
    label += fmt::format("{}seed={}", label.empty() ? "" : "_", setup.seed);
  return file_name(label) + "_" + setup.config_hash.substr(0, 8);
}

std::filesystem::path result_file(const ExperimentRequest& request, const RunSetup& setup,
                                  const std::string& run) {
  if (!request.output.empty()) return request.output;
  const auto folder = request.folder.empty()
                          ? std::filesystem::path("results") / file_name(setup.name)
                          : request.folder;
  return folder / (run + ".h5");
}

}  // namespace

namespace {

// Whether a problem is about a text that is one already.
bool is_told(const Problem& problem, const std::vector<Location>& unresolved) {
  return std::any_of(unresolved.begin(), unresolved.end(),
                     [&](const Location& at) { return at.text() == problem.where; });
}

}  // namespace

std::vector<PlannedRun> resolve_runs(const ComposedExperiment& composed,
                                     const ExperimentRequest& request, Registry& registry,
                                     Problems& problems) {
  std::vector<PlannedRun> runs;
  SetupReader reader(request.file, registry);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < composed.trials.size(); ++i) {
    const Trial& trial = composed.trials[i];
    Problems found;
    RunSetup setup = reader.read(trial.config, found);
    for (const Problem& problem : found.list())
      if (!is_told(problem, composed.unresolved)) problems.add(problem.at, problem.message);
    if (!problems.empty() || !seen.insert(setup.config_hash).second) continue;
    const std::string run = run_name(trial, setup);
    const auto file = result_file(request, setup, run);
    runs.push_back({std::move(setup), run, file, nullptr, i, 0});
  }
  return runs;
}

Plan make_plan(const ExperimentRequest& request, Registry& registry, Materials& materials) {
  Problems problems;
  Plan plan;
  plan.runs = resolve_runs(compose_experiment(request, problems), request, registry, problems);
  problems.raise();
  plan.name = plan.runs.front().setup.name;
  if (!request.output.empty() && plan.runs.size() > 1)
    throw Error(
        ExitCode::usage,
        fmt::format(
            "-o {}: names the file of one run, but this experiment has {}; use --out FOLDER",
            request.output.string(), plan.runs.size()));
  for (PlannedRun& run : plan.runs) load(run, materials);
  return plan;
}

void load(PlannedRun& run, Materials& materials) {
  if (run.setup.probe) {
    run.setup.probe.create({run.setup.seed});  // its options may not go together
    return;
  }
  run.material = materials.get(run.setup);
  run.steps = BuiltRun(run.setup, run.material).steps();
}

}  // namespace assay
