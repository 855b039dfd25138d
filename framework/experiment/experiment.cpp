#include "experiment/experiment.h"

#include "config/yaml.h"
#include "experiment/adaptive.h"
#include "experiment/compose.h"
#include "experiment/forerunner.h"
#include "experiment/frozen_plan.h"
#include "experiment/session.h"

namespace assay {
namespace {

FrozenPlan frozen_plan(const Plan& plan, const ExperimentRequest& request) {
  FrozenPlan now;
  now.name = plan.name;
  now.experiment = plan.runs.front().setup.experiment.string();
  now.arguments = request.overrides;
  for (const PlannedRun& run : plan.runs) now.runs.push_back(frozen(run));
  return now;
}

// The plan that is to stand in the folder of a sweep before its first run starts; nothing if it
// does. What is there of an earlier one is said to differ, and its runs keep their names.
std::optional<FrozenPlan> new_plan(Plan& plan, const ExperimentRequest& request,
                                   Reporter& reporter) {
  const std::filesystem::path folder = plan.runs.front().file.parent_path();
  FrozenPlan now = frozen_plan(plan, request);
  if (is_frozen(folder, now)) return std::nullopt;
  const auto then = read_plan(folder);
  if (!then) return now;
  for (const std::string& line : plan_difference(*then, now))
    reporter.note(plan.name, "another plan than " + plan_in(folder).string() + ": " + line);
  keep_names(plan.runs, *then);
  return frozen_plan(plan, request);
}

// What others start from is run only if they can be run afterwards.
void check_whole(const ComposedExperiment& composed, const ExperimentRequest& request,
                 Problems& problems) {
  Registry registry(default_plugin_path(request.plugins));
  if (!composed.sweep.find("space")) resolve_runs(composed, request, registry, problems);
  problems.raise();
}

ExperimentResult stopped_before(const ComposedExperiment& composed) {
  ExperimentResult result;
  result.unstarted = composed.trials.size();
  result.code = ExitCode::stopped;
  return result;
}

}  // namespace

std::vector<LoadedRun> loaded_runs(std::vector<RunResult> runs) {
  std::vector<LoadedRun> loaded;
  for (RunResult& run : runs) {
    const Value config = read_yaml(run.record.config, "config");
    loaded.push_back({run.file, 0, std::move(run.record), config});
  }
  return loaded;
}

ExperimentResult run_experiment(const ExperimentRequest& request, Reporter& reporter) {
  Problems problems;
  std::optional<ComposedExperiment> composed;
  if (request.frozen.empty()) composed = compose_experiment(request, problems);
  if (composed && !composed->first.empty()) {
    check_whole(*composed, request, problems);
    if (!run_forerunners(*composed, reporter)) return stopped_before(*composed);
    composed = compose_experiment(request, problems);
  }
  Session session(request, reporter);
  session.on_pool([&] {
    if (composed && AdaptiveSweep::is_adaptive(composed->sweep)) {
      problems.raise();
      run_adaptive(session, *composed);
      return;
    }
    Plan plan =
        composed ? make_plan(*composed, problems, request, session.registry(), session.materials())
                 : make_plan(request, session.registry(), session.materials());
    const bool sweep = plan.runs.size() > 1 || !request.frozen.empty();
    session.begin(plan.name, sweep, composed ? sweep_retries(composed->sweep, problems) : 0);
    problems.raise();
    std::optional<FrozenPlan> fresh;
    if (sweep && request.frozen.empty()) fresh = new_plan(plan, request, reporter);
    session.add(std::move(plan.runs));
    if (request.confirm && !request.confirm(session.waiting())) return;
    if (fresh) write_plan(session.runs().front().file.parent_path(), *fresh);
    session.announce();
    session.advance(session.whole());
    session.close();
  });
  return session.result();
}

}  // namespace assay
