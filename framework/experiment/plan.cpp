#include "experiment/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "config/yaml.h"
#include "experiment/adaptive.h"
#include "experiment/build.h"
#include "experiment/frozen_plan.h"
#include "experiment/population.h"
#include "results/run_file.h"
#include "results/run_set.h"

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
  if (!label.starts_with("seed=") && label.find("_seed=") == std::string::npos)
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

PlannedRun planned_run(const Trial& trial, RunSetup setup, const ExperimentRequest& request) {
  PlannedRun run;
  run.run = run_name(trial, setup);
  run.file = result_file(request, setup, run.run);
  run.setup = std::move(setup);
  return run;
}

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
    runs.push_back(planned_run(trial, std::move(setup), request));
    runs.back().trial = i;
  }
  return runs;
}

namespace {

// Where a plan has no configuration of a run, its result file has.
Value frozen_config(const FrozenRun& run, const std::filesystem::path& file) {
  if (!run.config.is_null()) return run.config;
  return read_yaml(read_run(file, false).config, file.string() + ": config");
}

std::map<std::string, RunStatus> statuses_in(const std::filesystem::path& folder) {
  std::map<std::string, RunStatus> found;
  for (const LoadedRun& run : load_summaries({folder.string()}).runs) {
    const auto [known, fresh] = found.try_emplace(run.record.config_hash, run.record.status);
    if (run.record.status == RunStatus::done) known->second = RunStatus::done;
  }
  return found;
}

bool is_wanted(const std::map<std::string, RunStatus>& statuses, const FrozenRun& run,
               ExperimentRequest::Again again) {
  const auto found = statuses.find(run.hash);
  if (again == ExperimentRequest::Again::failed)
    return found != statuses.end() && found->second == RunStatus::failed;
  if (found == statuses.end()) return !run.config.is_null();
  return found->second != RunStatus::done && found->second != RunStatus::pruned;
}

// The runs of a frozen plan that are to be done.
std::vector<PlannedRun> thaw(const ExperimentRequest& request, Registry& registry,
                             Problems& problems) {
  const auto plan = read_plan(request.frozen);
  if (!plan)
    throw Error(ExitCode::usage,
                fmt::format("{}: has no plan.yaml: it is not the folder of a sweep",
                            request.frozen.string()));
  if (plan->sweep.find("population"))
    throw Error(ExitCode::usage,
                fmt::format("{}: is of a population, whose members go on together only: `assay run "
                            "{}` continues it",
                            plan_in(request.frozen).string(), plan->experiment));
  const auto statuses = statuses_in(request.frozen);
  std::vector<PlannedRun> runs;
  SetupReader reader(plan->experiment, registry);
  for (const FrozenRun& frozen : plan->runs) {
    if (!is_wanted(statuses, frozen, request.again)) continue;
    PlannedRun run;
    run.run = frozen.run;
    run.file = request.frozen / (frozen.run + ".h5");
    run.setup = reader.read(frozen_config(frozen, run.file), problems);
    if (problems.empty() && run.setup.config_hash != frozen.hash)
      throw Error(ExitCode::data,
                  fmt::format("{}: {}: its configuration is read as another one now, by another "
                              "version of assay or of a plugin; `assay run` plans anew",
                              plan_in(request.frozen).string(), frozen.run));
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace

namespace {

void refuse_output(const Plan& plan, const ExperimentRequest& request) {
  if (!request.output.empty() && plan.runs.size() > 1)
    throw Error(
        ExitCode::usage,
        fmt::format(
            "-o {}: names the file of one run, but this experiment has {}; use --out FOLDER",
            request.output.string(), plan.runs.size()));
}

// Of a search the first batch: what comes later depends on it.
Plan first_batch(const ComposedExperiment& composed, Problems& problems,
                 const ExperimentRequest& request, Registry& registry, Materials& materials) {
  const AdaptiveSweep sweep(composed, registry, problems);
  problems.raise();
  const auto points = sweep.make_search(composed)->suggest({}, sweep.batch(*sweep.options.trials));
  auto trials = propose(sweep, composed, points, request, registry, materials);
  if (sweep.population) name_members(sweep, composed, request, trials);
  Plan plan;
  std::string trouble;
  for (ProposedTrial& trial : trials) {
    for (PlannedRun& run : trial.runs) plan.runs.push_back(std::move(run));
    if (trouble.empty()) trouble = trial.trouble;
  }
  if (plan.runs.empty()) throw Error(ExitCode::usage, trouble);
  plan.name = plan.runs.front().setup.name;
  plan.most_runs = sweep.most_runs(composed);
  if (sweep.pruner) plan.pruner = sweep.pruner.create({});
  if (trials.size() < static_cast<std::size_t>(*sweep.options.trials))
    plan.open = fmt::format("these are the first of {} trials; later ones depend on how they do",
                            *sweep.options.trials);
  return plan;
}

}  // namespace

Plan make_plan(const ComposedExperiment& composed, Problems& problems,
               const ExperimentRequest& request, Registry& registry, Materials& materials) {
  if (composed.sweep.find("search"))
    return first_batch(composed, problems, request, registry, materials);
  Plan plan;
  plan.runs = resolve_runs(composed, request, registry, problems);
  if (AdaptiveSweep::is_adaptive(composed.sweep)) {
    const AdaptiveSweep sweep(composed, registry, problems);
    if (sweep.pruner && problems.empty()) plan.pruner = sweep.pruner.create({});
  }
  problems.raise();
  plan.name = plan.runs.front().setup.name;
  refuse_output(plan, request);
  for (PlannedRun& run : plan.runs) load(run, materials);
  for (const ExperimentRequest& first : composed.first)
    plan.open += fmt::format("{}{} is run first; what starts from it is named after its weights",
                             plan.open.empty() ? "" : "; ", first.file.string());
  return plan;
}

Plan make_plan(const ExperimentRequest& request, Registry& registry, Materials& materials) {
  Problems problems;
  if (request.frozen.empty()) {
    const ComposedExperiment composed = compose_experiment(request, problems);
    return make_plan(composed, problems, request, registry, materials);
  }
  Plan plan;
  plan.runs = thaw(request, registry, problems);
  problems.raise();
  if (!plan.runs.empty()) plan.name = plan.runs.front().setup.name;
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
