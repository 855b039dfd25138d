#include "train/gradient.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace assay {
namespace {

// CASES.md D31: one norm over all parameters, not one each.
TEST(Gradient, IsClippedByTheNormOfAllParameters) {
  std::vector<float> gradient = {3, 4, 12};
  EXPECT_DOUBLE_EQ(mean_and_clip(gradient, 1, 6.5), 13);
  EXPECT_FLOAT_EQ(gradient[0], 1.5F);
  EXPECT_FLOAT_EQ(gradient[1], 2.0F);
  EXPECT_FLOAT_EQ(gradient[2], 6.0F);
}

TEST(Gradient, IsDividedByTheWeightBeforeClipping) {
  std::vector<float> gradient = {6, 8};
  EXPECT_DOUBLE_EQ(mean_and_clip(gradient, 2, 5.0), 5);
  EXPECT_FLOAT_EQ(gradient[0], 3.0F);
  EXPECT_FLOAT_EQ(gradient[1], 4.0F);
}

TEST(Gradient, OfHugeNumbersHasAFiniteNorm) {
  std::vector<float> gradient(128, 1e19F);
  // 1e19 as float32 is 9.999999980506448e18; times sqrt(128).
  EXPECT_NEAR(mean_and_clip(gradient, 1, 1.0), 1.131371e20, 1e15);
  EXPECT_NEAR(gradient[0], 1 / std::sqrt(128.0), 1e-7);
}

TEST(Gradient, ThatIsNotFiniteIsReportedAndLeftAlone) {
  for (float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> gradient = {3, bad, 12};
    EXPECT_FALSE(std::isfinite(mean_and_clip(gradient, 1, 6.5)));
    EXPECT_EQ(gradient[0], 3);
    EXPECT_EQ(gradient[2], 12);
  }
}

TEST(Gradient, NamesTheFirstParameterThatIsNotFinite) {
  Parameters parameters;
  parameters.add("a", {3}, Initialiser::constant(0));
  const ParameterId b = parameters.add("layer0/b", {4}, Initialiser::constant(0));
  parameters.initialise(1);
  std::vector<float> gradient(static_cast<std::size_t>(parameters.buffer_size()));
  EXPECT_EQ(first_not_finite(parameters, gradient), "");
  parameters.slice(gradient, b)[2] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(first_not_finite(parameters, gradient), "the gradient of layer0/b has inf at 2");
}

}  // namespace
}  // namespace assay
