// Linear warm-up, then half a cosine down to a minimum at the last step (Loshchilov and Hutter,
// 2017, "SGDR"). With W steps of warm-up out of S, update k = 0, 1, ... uses
//   peak (k + 1) / W                                                       for k < W: update 0
//   moves, k = W - 1 is at the peak minimum + (peak - minimum) (1 + cos(pi (k - W) / (S - W))) / 2
//   up to S, and the value at S beyond
#include <algorithm>
#include <cmath>
#include <numbers>

#include "assay.h"

namespace {

using namespace assay;

class WarmupCosine final : public Scheduler {
 public:
  struct Options {
    Duration warmup;
    double minimum = 0;
    static void describe(OptionList<Options>& o) {
      o.add("warmup", &Options::warmup, "How long the learning rate rises.").at_least(0);
      o.add("minimum", &Options::minimum, "Learning rate at the end.").at_least(0);
    }
  };

  WarmupCosine(const Options& options, const SchedulerBuild& build)
      : o_(options),
        warmup_(build.pace.steps(options.warmup)),
        steps_(build.steps),
        peak_(build.peak) {
    if (warmup_ > steps_)
      throw Error(ExitCode::usage, "scheduler.warmup is " + std::to_string(warmup_) +
                                       " steps, but the run has only " + std::to_string(steps_) +
                                       " steps: shorten the warm-up or raise train.steps");
    if (o_.minimum > peak_)
      throw Error(ExitCode::usage, "scheduler.minimum is above optimizer.learning_rate: lower it");
  }

  double learning_rate(std::int64_t step) const override {
    if (step < warmup_) return peak_ * static_cast<double>(step + 1) / static_cast<double>(warmup_);
    const std::int64_t length = steps_ - warmup_;
    if (length == 0) return peak_;  // all of the run is warm-up
    const double done = static_cast<double>(std::min(step - warmup_, length));
    const double angle = std::numbers::pi * done / static_cast<double>(length);
    return o_.minimum + 0.5 * (peak_ - o_.minimum) * (1 + std::cos(angle));
  }

 private:
  Options o_;
  std::int64_t warmup_, steps_;
  double peak_;
};

}  // namespace

ASSAY_PLUGIN(Scheduler, "warmup_cosine", WarmupCosine,
             "Linear warm-up, then a cosine to a minimum.")
