// Optimizers against PyTorch's trajectories and the values of D48, and resumed against
// uninterrupted.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "interfaces/optimizer.h"
#include "plugins/bundled.h"
#include "support/golden.h"
#include "support/thrown.h"

namespace assay {
namespace {

// One parameter, and an optimizer of it.
struct Case {
  Case(const std::string& yaml, std::vector<float> start) {
    id = parameters.add("w", {static_cast<std::int64_t>(start.size())}, {});
    parameters.initialise(1);
    std::copy(start.begin(), start.end(), w().begin());
    optimizer = make<Optimizer>(yaml, {parameters});
  }
  std::span<float> w() { return parameters.values(id); }
  void step(const std::vector<float>& gradient, double learning_rate) {
    std::vector<float> buffer(parameters.buffer().size());
    std::copy(gradient.begin(), gradient.end(), buffer.begin());
    optimizer->step(buffer, learning_rate);
  }
  Parameters parameters;
  ParameterId id;
  std::unique_ptr<Optimizer> optimizer;
};

struct Trajectory {
  const char* name;
  const char* yaml;
};

class GoldenOptimizer : public testing::TestWithParam<Trajectory> {};

TEST_P(GoldenOptimizer, FollowsPyTorch) {
  const Golden golden("optimizers");
  Case c(GetParam().yaml, golden.json().at("start").get<std::vector<float>>());
  int k = 0;
  for (const auto& wanted : golden.json().at("trajectories").at(GetParam().name)) {
    const float sign = k % 2 ? -1 : 1;
    c.step({0.5F - 0.1F * static_cast<float>(k), 0.3F * sign}, 0.1);
    expect_close(c.w(), wanted.get<std::vector<float>>(), kForwardTolerance,
                 "step " + std::to_string(k++));
  }
  EXPECT_EQ(k, 10);
}

INSTANTIATE_TEST_SUITE_P(
    Trajectories, GoldenOptimizer,
    testing::Values(Trajectory{"sgd", "{type: sgd}"},
                    Trajectory{"sgd_momentum", "{type: sgd, momentum: 0.9}"},
                    Trajectory{"sgd_nesterov",
                               "{type: sgd, momentum: 0.9, nesterov: true, weight_decay: 0.01}"},
                    Trajectory{"adam", "{type: adam}"},
                    Trajectory{"adamw", "{type: adamw, weight_decay: 0.1}"}),
    [](const auto& test) { return std::string(test.param.name); });

// D48. The tolerance is the rounding of float32 weights near 1.
void expect_path(const std::string& yaml, const std::vector<double>& wanted) {
  Case c(yaml, {1});
  const std::vector<float> gradients = {0.5F, -0.25F, 0.1F};
  for (std::size_t k = 0; k < 3; ++k) {
    c.step({gradients[k]}, 0.1);
    EXPECT_NEAR(c.w()[0], wanted[k], 2e-7) << yaml << " step " << k;
  }
}

TEST(AdamW, DecaysWeightsBesideTheMoments) {
  expect_path("{type: adamw, weight_decay: 0.1}", {0.890000002000, 0.854466298688, 0.814397280019});
}

TEST(Adam, DecaysWeightsThroughTheMoments) {
  expect_path("{type: adam, weight_decay: 0.1}", {0.900000001667, 0.854441367462, 0.802403794423});
}

TEST(AdamW, OfAZeroGradientStillShrinksTheWeight) {
  Case decoupled("{type: adamw, weight_decay: 0.1}", {1}),
      l2("{type: adam, weight_decay: 0.1}", {1});
  decoupled.step({0}, 0.1);
  l2.step({0}, 0.1);
  EXPECT_NEAR(decoupled.w()[0], 0.99, 1e-7);
  EXPECT_NEAR(l2.w()[0], 0.90000001, 1e-7);
}

// D48: what decays is documented and listed.
TEST(AdamW, DecaysAllParametersOrMatricesOnly) {
  Parameters parameters;
  const ParameterId matrix = parameters.add("matrix", {2, 2}, Initialiser::constant(1));
  const ParameterId bias = parameters.add("bias", {2}, Initialiser::constant(1));
  parameters.initialise(1);
  const auto all = make<Optimizer>("{type: adamw, weight_decay: 0.1}", {parameters});
  EXPECT_EQ(all->decayed(), (std::vector<std::string>{"matrix", "bias"}));
  const auto some =
      make<Optimizer>("{type: adamw, weight_decay: 0.1, decay: matrices}", {parameters});
  EXPECT_EQ(some->decayed(), std::vector<std::string>{"matrix"});
  some->step(std::vector<float>(parameters.buffer().size()), 0.1);
  EXPECT_NEAR(parameters.values(matrix)[0], 0.99, 1e-7);
  EXPECT_EQ(parameters.values(bias)[0], 1);
}

class EveryOptimizer : public testing::TestWithParam<const char*> {};

TEST_P(EveryOptimizer, RestoredMidwayEqualsUninterrupted) {
  Case whole(GetParam(), {1, -2, 0.5F}), resumed(GetParam(), {9, 9, 9});
  const std::vector<float> gradient = {0.3F, -0.1F, 0.7F};
  for (int k = 0; k < 3; ++k) whole.step(gradient, 0.1);
  State state;
  StateIo save = StateIo::saving(state), restore = StateIo::restoring(state);
  whole.parameters.state(save);
  whole.optimizer->state(save);
  resumed.parameters.state(restore);
  resumed.optimizer->state(restore);
  for (int k = 0; k < 3; ++k) {
    whole.step(gradient, 0.05);
    resumed.step(gradient, 0.05);
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(resumed.w()[i], whole.w()[i]);
}

TEST_P(EveryOptimizer, LeavesFrozenParametersAlone) {
  Case c(GetParam(), {1, -2, 0.5F});
  c.parameters.set_trainable(c.id, false);
  c.step({0.3F, -0.1F, 0.7F}, 0.1);
  EXPECT_EQ(c.w()[0], 1);
  EXPECT_TRUE(c.optimizer->decayed().empty());
}

INSTANTIATE_TEST_SUITE_P(Bundled, EveryOptimizer,
                         testing::Values("{type: sgd, momentum: 0.9, weight_decay: 0.1}",
                                         "{type: adam, weight_decay: 0.1}",
                                         "{type: adamw, weight_decay: 0.1}"),
                         [](const auto& test) {
                           const std::string yaml = test.param;
                           return yaml.substr(7, yaml.find(',') - 7);
                         });

TEST(Sgd, NesterovNeedsMomentum) {
  Parameters parameters;
  parameters.add("w", {1}, {});
  parameters.initialise(1);
  const std::string message =
      thrown([&] { make<Optimizer>("{type: sgd, nesterov: true}", {parameters}); });
  EXPECT_NE(message.find("nesterov needs a momentum above 0"), std::string::npos) << message;
}

}  // namespace
}  // namespace assay
