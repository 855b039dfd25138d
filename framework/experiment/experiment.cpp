#include "experiment/experiment.h"

#include "config/yaml.h"
#include "experiment/adaptive.h"
#include "experiment/compose.h"
#include "experiment/frozen_plan.h"
#include "experiment/session.h"

namespace assay {
namespace {

// The plan stands in the folder of a sweep before its first run starts. What is there of an earlier
// one is said to differ, and replaced.
void freeze(const Session& session, Reporter& reporter) {
  const std::filesystem::path folder = session.runs().front().file.parent_path();
  const ExperimentRequest& request = session.request();
  FrozenPlan now;
  now.name = session.name();
  now.experiment = session.runs().front().setup.experiment.string();
  now.arguments = request.overrides;
  for (const PlannedRun& run : session.runs()) now.runs.push_back(frozen(run));
  if (is_frozen(folder, now)) return;
  if (const auto then = read_plan(folder))
    for (const std::string& line : plan_difference(*then, now))
      reporter.note(session.name(), "another plan than " + plan_in(folder).string() + ": " + line);
  write_plan(folder, now);
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
  Session session(request, reporter);
  session.on_pool([&] {
    Problems problems;
    std::optional<ComposedExperiment> composed;
    if (request.frozen.empty()) composed = compose_experiment(request, problems);
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
    session.add(std::move(plan.runs));
    if (request.confirm && !request.confirm(session.waiting())) return;
    if (sweep && request.frozen.empty()) freeze(session, reporter);
    session.announce();
    session.advance(session.whole());
    session.close();
  });
  return session.result();
}

}  // namespace assay
