// An optimizer with momentum whose velocity is in no checkpoint: a run that was killed does not go
// on as it was.
#include "assay.h"

namespace {

using namespace assay;

class Leaky final : public Optimizer {
 public:
  explicit Leaky(const OptimizerBuild& build)
      : parameters_(build.parameters), velocity_(build.parameters.buffer().size()) {}

  double learning_rate() const override { return 0.1; }
  void step(std::span<const float> gradient, double learning_rate) override {
    scale_in_place(velocity_, 0.9F);
    add_into(velocity_, gradient);
    add_scaled(parameters_.buffer(), static_cast<float>(-learning_rate), velocity_);
  }
  void state(StateIo&) override {}

 private:
  Parameters& parameters_;
  std::vector<float> velocity_;
};

}  // namespace

ASSAY_PLUGIN(Optimizer, "leaky", Leaky, "Forgets its velocity.")
