// Plugin kind `scheduler`: the learning rate of each update.
//
//   double learning_rate(std::int64_t step) const override { return peak_; }
//
// A pure function of the step (0, 1, ...): nothing to save, and the same after a resume. Beyond the last step it stays at
// its final value. Threads: const, any. Ownership: it shares nothing. Errors: Error(usage) from the constructor.
#pragma once

#include <cstdint>

#include "base/api.h"
#include "config/options.h"

namespace assay {

struct SchedulerBuild {
  std::int64_t steps = 0;  // total updates of the run
  double peak = 0;         // the optimizer's learning rate
  Pace pace = {};          // of this run: pace.steps(options.warmup)
};

class ASSAY_API Scheduler {
 public:
  static constexpr const char* kKind = "scheduler";
  using Build = SchedulerBuild;
  virtual ~Scheduler();
  /// The learning rate that update `step` uses.
  virtual double learning_rate(std::int64_t step) const = 0;
};

}  // namespace assay
