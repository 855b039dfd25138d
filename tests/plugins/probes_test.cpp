#include <gtest/gtest.h>

#include "interfaces/probe.h"
#include "plugins/bundled.h"
#include "support/thrown.h"

namespace assay {
namespace {

Measurements measured(const std::string& yaml) {
  Measurements found;
  make<Probe>(yaml, {1})->measure(found);
  return found;
}

// Divided by sqrt(1), scores are as before.
TEST(SoftmaxSaturation, OfWidthOneIsTheSameScaledAndUnscaled) {
  const auto scalars = measured("{type: softmax_saturation, widths: [1], draws: 9}").scalars;
  EXPECT_EQ(scalars.size(), 4U);
  EXPECT_EQ(scalars.at("width_1/unscaled/jacobian"), scalars.at("width_1/scaled/jacobian"));
  EXPECT_EQ(scalars.at("width_1/unscaled/largest_weight"),
            scalars.at("width_1/scaled/largest_weight"));
}

// What kernels take for themselves is part of the memory, and less than one N x N matrix.
TEST(AttentionCost, CountsTheScratchOfKernels) {
  const auto scalars = measured("{type: attention_cost, lengths: [256, 2048], repeats: 1}").scalars;
  EXPECT_GT(scalars.at("attention/scratch_at_longest"), 0);
  EXPECT_LT(scalars.at("attention/scratch_at_longest"), 4.0 * 2048 * 2048);
  EXPECT_GT(scalars.at("attention/bytes_at_longest"), scalars.at("attention/scratch_at_longest"));
}

TEST(Probes, SayWhichRuleTheirOptionsBreak) {
  const auto refusal = [](const std::string& yaml) {
    return thrown([&] { make<Probe>(yaml, {1}); });
  };
  const std::string place = "[2] test.yaml:1:1: probe: ";
  EXPECT_EQ(refusal("{type: attention_cost, lengths: [8]}"),
            place + "lengths: wanted at least two");
  EXPECT_EQ(refusal("{type: attention_cost, lengths: [8, 8]}"), place + "lengths: must rise");
  EXPECT_EQ(refusal("{type: gradient_flow, steps: 5, back: [5]}"),
            place + "back: must be below steps");
  EXPECT_EQ(refusal("{type: sinusoidal_positions, width: 3}"), place + "width must be even");
  EXPECT_EQ(refusal("{type: dot_products, widths: []}"), place + "widths: wanted at least one");
}

}  // namespace
}  // namespace assay
