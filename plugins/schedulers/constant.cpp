// The optimizer's learning rate at every step.
#include "assay.h"

namespace {

using namespace assay;

class Constant final : public Scheduler {
 public:
  explicit Constant(const SchedulerBuild& build) : peak_(build.peak) {}
  double learning_rate(std::int64_t) const override { return peak_; }

 private:
  double peak_;
};

}  // namespace

ASSAY_PLUGIN(Scheduler, "constant", Constant, "The same learning rate at every step.")
