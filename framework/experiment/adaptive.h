// A sweep that decides as it goes: a search chooses its trials, a pruner stops some, and it may end
// early.
//
//   sweep:
//     search: {type: tpe}
//     space:  {optimizer.learning_rate: {log_uniform: [1e-5, 1e-1]}}   # search_space.h
//     trials: 40
//     batch:  8                                     # chosen together, whatever --jobs is
//     metric: {name: val/loss, goal: minimize}      # or maximize; any expression: min(val/loss)
//     prune:  {type: asha, first: 100}
//     stop:   {target: 1.9, after: 3600s, patience: 20, runs: 100}
//     async:  true                                  # nothing waits for a batch; not reproducible
//     population: {every: 100, replace: 0.25}       # in place of prune and stop: population.h
//
// Trials of a batch are chosen and compared when all of the batch before have ended, so the same
// sweep has the same trials and results whatever the number of jobs and threads. One that was
// killed finds its trials again from the values that stand in the result files. Axes beside the
// space (grid, replicates, several seeds) are run for each trial, whose value is the mean over
// them. A trial that fails, or whose settings do not go together, counts as the worst. Without a
// search, prune and stop work on the trials of the axes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/options.h"
#include "config/problems.h"
#include "experiment/compose.h"
#include "experiment/search_space.h"
#include "experiment/session.h"
#include "interfaces/pruner.h"
#include "interfaces/search.h"
#include "plugin/registry.h"
#include "results/expression.h"

namespace assay {

struct MetricOptions {
  std::string name = "val/loss";
  std::string goal = "minimize";
  static void describe(OptionList<MetricOptions>& o);
};

struct StopOptions {
  std::optional<double> target;
  std::optional<Duration> after;
  std::optional<std::int64_t> runs, patience;
  static void describe(OptionList<StopOptions>& o);
};

struct PopulationOptions {
  std::int64_t every = 100;
  double replace = 0.25, perturb = 0.1, resample = 0.25;
  std::vector<std::string> explore;
  static void describe(OptionList<PopulationOptions>& o);
};

struct AdaptiveOptions {
  Value search, space, metric, prune, stop, population;
  std::optional<std::int64_t> trials, batch;
  bool async = false;
  static void describe(OptionList<AdaptiveOptions>& o);
};

/// What such a sweep is; read before anything runs.
struct AdaptiveSweep {
  AdaptiveOptions options;
  MetricOptions metric;
  StopOptions stop;
  std::optional<Expression> value;  // of a run: metric.name
  SearchSpace space;
  std::vector<Condition> where;  // of the trials of a search
  Prepared<Search> search;       // empty: the trials are those of the axes
  Prepared<Pruner> pruner;       // may be empty
  std::optional<PopulationOptions> population;
  Value frozen;  // all of it, as the plan states it

  /// Whether the section `sweep` says any of this.
  static bool is_adaptive(const Value& sweep);
  AdaptiveSweep(const ComposedExperiment& composed, Registry& registry, Problems& problems);
  /// REQUIRES search. Its seed is that of the experiment.
  std::unique_ptr<Search> make_search(const ComposedExperiment& composed) const;
  /// How many of those that are left come together.
  std::int64_t batch(std::int64_t left) const;
  /// Throws Error(usage) if its runs cannot be in processes of their own, and are to be.
  void refuse_apart(const ExperimentRequest& request) const;
  /// Runs of all trials, should none be equal.
  std::int64_t most_runs(const ComposedExperiment& composed) const;
};

/// Of the experiment: what a search and a population draw from.
std::uint64_t search_seed(const ComposedExperiment& composed);

/// The trials of a batch, as runs. A trial whose settings do not go together has none, and says
/// why.
struct ProposedTrial {
  SearchPoint point;  // empty without a search
  std::vector<PlannedRun> runs;
  std::string trouble;
};
std::vector<ProposedTrial> propose(const AdaptiveSweep& sweep, const ComposedExperiment& composed,
                                   std::vector<SearchPoint> points,
                                   const ExperimentRequest& request, Registry& registry,
                                   Materials& materials);

/// Runs it; begins the session.
void run_adaptive(Session& session, const ComposedExperiment& composed);

}  // namespace assay
