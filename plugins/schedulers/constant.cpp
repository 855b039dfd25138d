// The optimizer's learning rate at every step.
#include "assay.h"

namespace assay {
namespace {

class Constant final : public Scheduler {
 public:
  struct Options {
    static void describe(OptionList<Options>&) {}
  };
  Constant(const Options&, const SchedulerBuild& build) : peak_(build.peak) {}
  double learning_rate(std::int64_t) const override { return peak_; }

 private:
  double peak_;
};

}  // namespace

ASSAY_PLUGIN(Scheduler, "constant", Constant, "The same learning rate at every step.")

}  // namespace assay
