// Population-based training (Jaderberg et al., 2017, "Population based training of neural
// networks"): all trials train at once, and every so many steps the worst of them go on as copies
// of better ones, with settings that are a little different. Weights and optimizer are copied in
// memory.
//
//   sweep:
//     search: {type: random}
//     space: {optimizer.learning_rate: {log_uniform: [1e-4, 1e-1]}}
//     trials: 8
//     population: {every: 100, replace: 0.25, perturb: 0.1, resample: 0.25}
//
// Members wait for each other at each comparison, and what is drawn depends on the seed alone: the
// same sweep gives the same members whatever the number of jobs. Who became a copy of whom stands
// in plan.yaml, and whose weights a run has, and with which settings they came about, in the table
// `lineage` of its file: `assay rerun` follows that alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.h"
#include "experiment/adaptive.h"
#include "experiment/adaptive_plan.h"
#include "experiment/member.h"
#include "experiment/session.h"
#include "experiment/trials.h"

namespace assay {

/// Gives the runs of a population names ("member=3") and hashes of their own: two of equal settings
/// are two members, and none is a run that trains alone.
void name_members(const AdaptiveSweep& sweep, const ComposedExperiment& composed,
                  const ExperimentRequest& request, std::vector<ProposedTrial>& trials);

class Population {
 public:
  /// All outlive it.
  Population(Session& session, const ComposedExperiment& composed, const AdaptiveSweep& sweep,
             Trials& trials, AdaptivePlan& plan);

  /// Trains these trials to their end. False: they were stopped before.
  bool train(const std::vector<std::size_t>& trials);

 private:
  struct Individual {
    std::size_t trial;
    SearchPoint point;
    std::vector<std::unique_ptr<Member>> runs;
  };
  void gather(const std::vector<std::size_t>& trials);
  std::vector<std::int64_t> comparisons() const;
  void adopt_files();
  void follow_plan();
  bool advance(std::optional<std::int64_t> until);
  Generation compare(std::int64_t step, std::size_t index) const;
  void replace(const Generation& generation, std::size_t index, bool computed);
  std::vector<PlannedStretch> changed(std::size_t member, SearchPoint& point, std::int64_t step,
                                      std::size_t index);
  SearchPoint explored(SearchPoint point, const Random& draw) const;
  bool is_explored(const std::string& key) const;
  std::vector<PlannedStretch> planned(std::size_t member, const SearchPoint& point,
                                      std::int64_t step);

  Session& session_;
  const ComposedExperiment& composed_;
  const AdaptiveSweep& sweep_;
  Trials& trials_;
  AdaptivePlan& plan_;
  std::uint64_t seed_;
  std::vector<Individual> members_;
};

}  // namespace assay
