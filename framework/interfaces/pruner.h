// Plugin kind `pruner`: which runs of a sweep are worth their remaining steps.
//
//   std::vector<std::int64_t> rungs(std::int64_t steps) const override { return {steps / 2}; }
//   std::vector<bool> promoted(const Rung& rung) const override {        // the better half
//     const std::vector<double> values = rung.values();
//     return rung.up_to(values[values.size() / 2]);
//   }
//
// Runs of a batch train as far as the first rung, wait for each other there, and those promoted
// train as far as the next. So a decision depends on steps, never on who was faster, and the same
// sweep prunes the same runs whatever the number of jobs. Values are to be made small, as those of
// a search (search.h).
//
// A pure function of its options and the rung. Threads: const; one calls at a time. Errors:
// Error(usage) from the constructor for options that do not go together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/api.h"
#include "config/options.h"

namespace assay {

struct PrunerBuild {};  // nothing is needed beyond the options yet

/// A run as far as it got: the metric by completed updates.
struct PrunerRun {
  std::vector<std::int64_t> steps;  // increasing
  std::vector<double> values;       // less is better; +infinity: not finite
  bool whole = false;               // it trained to the end
  std::int64_t trial = 0;           // 0, 1, ...: its place in the sweep

  /// The last value at or before a step; +infinity: there is none.
  ASSAY_API double at(std::int64_t step) const;
  /// Whether it got as far as a step.
  bool reached(std::int64_t step) const { return !steps.empty() && steps.back() >= step; }
};

struct ASSAY_API Rung {
  std::int64_t step = 0;               // completed updates
  std::int64_t index = 0;              // 0: the first
  std::span<const PrunerRun> running;  // of this batch, as far as this step
  std::span<const PrunerRun> earlier;  // of the batches before, pruned ones too
  std::int64_t steps = 0;              // of a whole run

  /// The values there of all that came as far, sorted.
  std::vector<double> values() const;
  /// For each of running, whether its value is no more than this.
  std::vector<bool> up_to(double value) const;
};

/// first, first * factor, ... as far as they are below steps.
ASSAY_API std::vector<std::int64_t> growing_rungs(std::int64_t first, double factor,
                                                  std::int64_t steps);
/// Of sorted values the last of the best one in so many, of one at least. REQUIRES a value.
ASSAY_API double last_of_best(std::span<const double> sorted, double one_in);

class ASSAY_API Pruner {
 public:
  static constexpr const char* kKind = "pruner";
  using Build = PrunerBuild;
  virtual ~Pruner();
  /// Where runs of so many steps are compared: increasing, above 0, below steps. The framework
  /// moves each to the next evaluation.
  virtual std::vector<std::int64_t> rungs(std::int64_t steps) const = 0;
  /// For each of rung.running, whether it goes on.
  virtual std::vector<bool> promoted(const Rung& rung) const = 0;
};

}  // namespace assay
