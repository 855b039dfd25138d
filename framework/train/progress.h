// How far a run is, for whoever watches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/api.h"
#include "results/record.h"

namespace assay {

struct Progress {
  std::int64_t step = 0, steps = 0;  // completed updates, and all
  double loss = 0;                   // of the last update, mean nats per target
  std::optional<double> validation;  // the last evaluation's
  double tokens_per_second = 0;      // targets trained on, evaluations not counted
  double seconds_left = 0;
};

/// Keeps a run safe while it trains. Called between steps by the thread that runs the trainer; what
/// it throws ends the run.
class ASSAY_API Keeper {
 public:
  virtual ~Keeper();
  /// record has new rows and its completed steps.
  virtual void advanced(const RunRecord& record) = 0;
  /// Whether a checkpoint is to be kept after so many completed updates.
  virtual bool due(std::int64_t step) = 0;
  /// best is null before the first one.
  virtual void keep(const RunRecord& record, const Checkpoint& last, const Checkpoint* best) = 0;
};

/// All may be empty. Called between steps by the thread that runs the trainer.
struct Watch {
  std::function<void(const Progress&)> progress;
  std::function<bool()> stop;
  /// After each evaluation, so many updates completed; before the checkpoint of that step.
  std::function<void(RunRecord& record, std::int64_t step)> evaluated;
  Keeper* keeper = nullptr;
};

}  // namespace assay
