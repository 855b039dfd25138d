// The suite of optimizers must find what is wrong: negative controls.
#include <gtest/gtest.h>

#include <algorithm>

#include "contract/contract.h"

namespace assay {
namespace {

/// Momentum, with one fault at a time.
enum class OptimizerFault {
  none,
  forgets_velocity,
  ignores_rate,
  moves_frozen,
  stands_still,
  writes_gaps
};

class Momentum final : public Optimizer {
 public:
  Momentum(OptimizerFault fault, const OptimizerBuild& build)
      : fault_(fault), parameters_(build.parameters), velocity_(parameters_.buffer().size()) {}
  double learning_rate() const override { return 0.1; }
  void step(std::span<const float> gradient, double learning_rate) override {
    if (fault_ == OptimizerFault::stands_still) return;
    const auto rate =
        fault_ == OptimizerFault::ignores_rate ? 0.1F : static_cast<float>(learning_rate);
    for (std::int32_t i = 0; i < parameters_.size(); ++i) {
      if (!parameters_.info({i}).trainable && fault_ != OptimizerFault::moves_frozen) continue;
      const std::span<float> w = parameters_.values({i}), v = parameters_.slice(velocity_, {i});
      const auto offset = static_cast<std::size_t>(parameters_.info({i}).offset);
      for (std::size_t k = 0; k < w.size(); ++k) {
        v[k] = 0.9F * v[k] + gradient[offset + k];
        w[k] -= rate * v[k];
      }
      if (fault_ == OptimizerFault::writes_gaps) parameters_.buffer()[offset + w.size()] = 1;
    }
  }
  void state(StateIo& io) override {
    if (fault_ != OptimizerFault::forgets_velocity) io.reals("velocity", velocity_);
  }

 private:
  OptimizerFault fault_;
  Parameters& parameters_;
  std::vector<float> velocity_;
};

Failures failures_of_optimizer(OptimizerFault fault) {
  return check_optimizer(
      [fault](const OptimizerBuild& build) { return std::make_unique<Momentum>(fault, build); });
}

TEST(OptimizerContract, HoldsForMomentum) {
  EXPECT_EQ(failures_of_optimizer(OptimizerFault::none), Failures{});
}

TEST(OptimizerContract, FindsOneThatLeaksItsState) {
  EXPECT_EQ(failures_of_optimizer(OptimizerFault::forgets_velocity),
            Failures{"saved and restored after 3 of 6 steps, it ends with other weights than "
                     "uninterrupted: state() leaves something out"});
}

TEST(OptimizerContract, FindsOneThatMovesAtALearningRateOfZero) {
  EXPECT_EQ(failures_of_optimizer(OptimizerFault::ignores_rate),
            Failures{"a learning rate of 0 changes weights"});
}

TEST(OptimizerContract, FindsOneThatMovesWhatIsNotTrainable) {
  EXPECT_EQ(failures_of_optimizer(OptimizerFault::moves_frozen),
            Failures{"'embedding/frozen' is not trainable, but it moves"});
}

TEST(OptimizerContract, FindsOneThatStandsStill) {
  EXPECT_EQ(failures_of_optimizer(OptimizerFault::stands_still),
            (Failures{"'layer0/weight' is trainable, but stays where it is",
                      "'layer0/bias' is trainable, but stays where it is",
                      "'head/weight' is trainable, but stays where it is"}));
}

TEST(OptimizerContract, FindsOneThatWritesIntoTheGaps) {
  const Failures failures = failures_of_optimizer(OptimizerFault::writes_gaps);
  EXPECT_NE(
      std::find(failures.begin(), failures.end(), "it writes into the gaps between parameters"),
      failures.end());
}

}  // namespace
}  // namespace assay
