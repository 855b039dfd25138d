// Where runs of a batch wait for each other, and a pruner says which of them go on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "experiment/adaptive.h"
#include "experiment/session.h"
#include "experiment/trials.h"

namespace assay {

/// Where runs are to stop to be compared: the next evaluation. Nothing: it comes too late.
std::optional<std::int64_t> evaluation_at(const PlannedRun& run, std::int64_t step);
/// Adds a leg, unless its run has one.
void add_leg(std::vector<Leg>& legs, const Leg& leg);
/// Throws Error(usage) unless these runs are evaluated as they train. section: "sweep.prune".
void refuse_without_evaluations(const Session& session, const std::vector<std::size_t>& runs,
                                const char* section);
/// A curve up to a step.
PrunerRun curve_to(const PrunerRun& curve, std::int64_t step);
/// Throws Error(usage) if none of runs that trained so far has the metric of the sweep.
void refuse_without_metric(const std::vector<PrunerRun>& curves, const AdaptiveSweep& sweep,
                           const char* section);

class Rungs {
 public:
  /// REQUIRES sweep.pruner. All outlive it.
  Rungs(Session& session, const AdaptiveSweep& sweep, Trials& trials);

  /// Trains trials of a batch, whose first is `first`, from rung to rung. Those left in alive are
  /// to be trained to their end. False: the runs were stopped before that.
  bool climb_all(std::size_t first, std::vector<std::size_t>& alive);

  /// To where a trial is compared next, after so many rungs; none: it goes to its end.
  std::vector<Leg> legs_to(std::size_t trial, std::size_t rung) const;
  /// Compares a trial that came to a rung with all that did before, and prunes it or not.
  void compare(std::size_t trial, std::size_t rung);

 private:
  bool climb(std::int64_t rung, std::int64_t index, std::size_t first,
             std::vector<std::size_t>& alive);
  void decide(std::int64_t step, std::int64_t index, const std::vector<PrunerRun>& earlier,
              const std::vector<std::size_t>& compared);
  /// Of runs of one trial, the most.
  std::int64_t steps_of(std::size_t trial) const;
  bool prune(const TrialState& trial, std::int64_t step, double value);

  Session& session_;
  const AdaptiveSweep& sweep_;
  Trials& trials_;
  std::unique_ptr<Pruner> pruner_;
  std::int64_t steps_ = 0;  // of a whole run
};

}  // namespace assay
