// `assay check` and `assay run --dry-run`: a plan, and the first steps of it, from which work, time
// and memory of the whole follow.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/parallel.h"
#include "experiment/build.h"
#include "experiment/execute.h"
#include "experiment/experiment.h"
#include "experiment/plan.h"
#include "experiment/run_cost.h"
#include "experiment/rungs.h"
#include "train/pace.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string earlier_note(Earlier earlier) {
  switch (earlier) {
    case Earlier::complete:
      return "is complete already; run would skip it, --force does it anew";
    case Earlier::unfinished:
      return "was stopped; run would continue it";
    case Earlier::failed:
      return "failed; run would leave it so, `assay retry --failed` does it again";
    case Earlier::nothing:
      return {};
  }
  return {};
}

// Evaluations at step 0, every so many steps, and at the end.
double evaluations(const PlannedRun& run, const BuiltRun& built) {
  const auto& every = run.setup.evaluate.every;
  if (!every) return 2;
  const Pace pace = training_pace(*run.setup.train, built.dataset(), built.train_request());
  const std::int64_t steps = std::max<std::int64_t>(1, pace.steps(*every));
  return 2 + static_cast<double>((run.steps - 1) / steps);
}

// The first evaluation and the first few steps, as they would be made.
void measure_steps(const PlannedRun& run, const BuiltRun& built, Trainer& trainer, RunCost& cost) {
  constexpr std::size_t kSteps = 5;
  constexpr double kSeconds = 0.5;
  RunRecord record;
  std::vector<Clock::time_point> ends;  // of the steps
  const auto start = Clock::now();
  Watch watch;
  watch.progress = [&](const Progress&) { ends.push_back(Clock::now()); };
  watch.stop = [&] {
    return ends.size() >= kSteps ||
           (ends.size() >= 2 && seconds_between(start, ends.back()) > kSeconds);
  };
  try {
    trainer.run(record, watch);
  } catch (const Error&) {  // it diverges: that is for the run to tell
  }
  if (ends.empty()) return;
  const double first = seconds_between(start, ends[0]);
  const double step =
      ends.size() > 1 ? seconds_between(ends[0], ends.back()) / static_cast<double>(ends.size() - 1)
                      : first;
  cost.seconds =
      step * static_cast<double>(run.steps) + std::max(0.0, first - step) * evaluations(run, built);
  const Checkpoint& final = record.checkpoints.at("final");
  cost.disk_bytes = bytes_of(final.weights) + bytes_of(final.model) + bytes_of(final.optimizer);
  if (run.setup.evaluate.every) cost.disk_bytes *= 2;  // the best may be another than the last
}

// Pruned where runs are compared first.
std::int64_t least_steps(const PlannedRun& run, const Plan& plan) {
  if (!plan.pruner) return run.steps;
  const std::vector<std::int64_t> rungs = plan.pruner->rungs(run.steps);
  return rungs.empty() ? run.steps : evaluation_at(run, rungs.front()).value_or(run.steps);
}

RunCost measure(const PlannedRun& run, int threads) {
  BuiltRun built(run.setup, run.material);
  Trainer& trainer = built.start();
  RunCost cost;
  cost.parameters = built.parameters().count();
  cost.memory_bytes = 4.0 * static_cast<double>(built.parameters().buffer_size());
  if (!run.setup.train) return cost;
  try {
    measure_row(run, threads, built, trainer, cost);
    measure_steps(run, built, trainer, cost);
  } catch (const Error& error) {  // such as a model that wants other data than the objective gives
    throw refused_pass(run.setup, error);
  }
  return cost;
}

}  // namespace

std::vector<RunCheck> check_experiment(const ExperimentRequest& request) {
  Registry registry(default_plugin_path(request.plugins));
  Materials materials;
  const int threads = request.threads > 0 ? request.threads : available_cores();
  std::vector<RunCheck> checks;
  std::map<std::string, RunCost> known;
  Pool(threads).run([&] {
    const Plan plan = make_plan(request, registry, materials);
    for (const PlannedRun& run : plan.runs) {
      RunCheck check;
      check.run = run.run;
      check.file = run.file.string();
      check.config = run.setup.resolved;
      check.steps = run.steps;
      check.least_steps = least_steps(run, plan);
      if (plan.most_runs > 0)
        check.stands_for =
            static_cast<double>(plan.most_runs) / static_cast<double>(plan.runs.size());
      for (const Expectation& expectation : run.setup.expectations)
        check.expects.push_back(expectation_text(expectation));
      check.probe = static_cast<bool>(run.setup.probe);
      check.counts = !check.probe && !run.setup.train;
      if (!check.probe) {
        const auto [cost, fresh] = known.try_emplace(what_costs(run.setup));
        if (fresh) cost->second = measure(run, threads);
        check.cost = cost->second;
        check.notes = run.material->notes;
      }
      EarlierOptions earlier;
      earlier.force = request.force;
      earlier.resume = request.resume;
      earlier.keep_failed = plan.runs.size() > 1;
      check.earlier = find_earlier(run, earlier);
      if (const std::string note = earlier_note(check.earlier); !note.empty())
        check.notes.push_back(note);
      for (const std::string& remark : registry.remarks()) check.notes.push_back(remark);
      if (!plan.open.empty()) check.notes.push_back(plan.open);
      checks.push_back(std::move(check));
    }
  });
  return checks;
}

}  // namespace assay
