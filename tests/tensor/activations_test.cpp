#include "tensor/kernels/activations.h"

#include <cmath>
#include <limits>

#include "support/kernel_targets.h"
#include "support/plain_kernels.h"

namespace assay {
namespace {

using Activations = KernelTest;
ASSAY_ALL_TARGETS(Activations);

std::vector<float> grid(float from, float to, int steps) {
  std::vector<float> x;
  for (int i = 0; i <= steps; ++i)
    x.push_back(from + (to - from) * static_cast<float>(i) / static_cast<float>(steps));
  return x;
}

double worst_relative_error(const std::vector<float>& y, const std::vector<double>& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::abs(expected[i]) < 1.2e-38) continue;  // denormal results are flushed
    worst = std::max(worst, std::abs(static_cast<double>(y[i]) / expected[i] - 1));
  }
  return worst;
}

// 1e-6: about eight units in the last place of float32, over the whole range where the result is a
// normal number.
TEST_P(Activations, GeluIsAccurateIncludingTheNegativeTail) {
  const auto x = grid(-12.9F, 12.9F, 200001);
  std::vector<float> y(x.size());
  std::vector<double> expected;
  for (float v : x) expected.push_back(plain::gelu(static_cast<double>(v)));
  gelu_forward(x, y);
  EXPECT_LT(worst_relative_error(y, expected), 1e-6);
}

TEST_P(Activations, GeluDerivativeTakesThePlaceOfItsArgument) {
  auto x = grid(-10, 10, 100003);
  std::vector<float> y(x.size()), forward(x.size());
  std::vector<double> slopes;
  for (float v : x) slopes.push_back(plain::gelu_slope(static_cast<double>(v)));
  gelu_forward(x, forward);
  gelu_with_derivative(x, y);
  EXPECT_EQ(y, forward);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(x[i]) - slopes[i]));
  EXPECT_LT(worst, 4e-7);  // of a function between -0.13 and 1.13
}

TEST_P(Activations, SiluAndItsDerivativeAgreeWithDoubles) {
  auto x = grid(-60, 60, 100003);
  std::vector<float> y(x.size()), forward(x.size());
  std::vector<double> values, slopes;
  for (float v : x) {
    const double z = static_cast<double>(v), s = 1 / (1 + std::exp(-z));
    values.push_back(z * s);
    slopes.push_back(s + z * s * (1 - s));
  }
  silu_forward(x, forward);
  silu_with_derivative(x, y);
  EXPECT_EQ(y, forward);
  EXPECT_LT(worst_relative_error(y, values), 1e-6);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(x[i]) - slopes[i]));
  EXPECT_LT(worst, 4e-7);  // of a function between -0.1 and 1.1
}

TEST_P(Activations, GeluAtTheEnds) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {0.0F, -50.0F, 50.0F, -1e30F, 1e30F, infinity, std::nanf("")};
  std::vector<float> y(x.size());
  gelu_forward(x, y);
  EXPECT_EQ(y[0], 0.0F);
  EXPECT_EQ(y[1], 0.0F);
  EXPECT_EQ(y[2], 50.0F);
  EXPECT_EQ(y[3], 0.0F);
  EXPECT_EQ(y[4], 1e30F);
  EXPECT_EQ(y[5], infinity);
  EXPECT_TRUE(std::isnan(y[6]));
}

struct Reference {
  Activation f;
  double (*value)(double);
  double (*slope_from_value)(double);
};
const Reference kReferences[] = {
    {Activation::tanh, [](double x) { return std::tanh(x); }, [](double y) { return 1 - y * y; }},
    {Activation::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); },
     [](double y) { return y * (1 - y); }},
    {Activation::relu, [](double x) { return std::max(x, 0.0); },
     [](double y) { return y > 0 ? 1.0 : 0.0; }},
    {Activation::exp, [](double x) { return std::exp(x); }, [](double y) { return y; }},
};

TEST_P(Activations, ValuesAreAccurate) {
  const auto x = grid(-87, 88, 100001);
  for (const Reference& reference : kReferences) {
    std::vector<float> y(x.size());
    std::vector<double> expected;
    for (float v : x) expected.push_back(reference.value(static_cast<double>(v)));
    activate(reference.f, x, y);
    EXPECT_LT(worst_relative_error(y, expected), 1e-6) << static_cast<int>(reference.f);
  }
}

TEST_P(Activations, SmallArgumentsOfTanhKeepTheirDigits) {
  const auto x = grid(-1e-3F, 1e-3F, 2000);
  std::vector<float> y(x.size());
  std::vector<double> expected;
  for (float v : x) expected.push_back(std::tanh(static_cast<double>(v)));
  activate(Activation::tanh, x, y);
  EXPECT_LT(worst_relative_error(y, expected), 1e-6);
}

TEST_P(Activations, BackwardMultipliesBySlopeAndAddsWhereAsked) {
  const auto x = normal_numbers(77, "x"), dy = normal_numbers(77, "dy");
  for (const Reference& reference : kReferences) {
    std::vector<float> y(x.size()), dx(x.size()), added(x.size(), 3.0F);
    activate(reference.f, x, y);
    activation_backward(reference.f, y, dy, {dx.data(), false});
    activation_backward(reference.f, y, dy, {added.data(), true});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected =
          static_cast<double>(dy[i]) * reference.slope_from_value(static_cast<double>(y[i]));
      EXPECT_NEAR(dx[i], expected, 1e-6 * (1 + std::abs(expected)));
      EXPECT_NEAR(added[i], 3 + expected, 1e-6 * (4 + std::abs(expected)));
    }
  }
}

TEST_P(Activations, NotANumberStaysOneAndInfinitiesSaturate) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {std::nanf(""), infinity, -infinity};
  std::vector<float> y(3);
  for (const Reference& reference : kReferences) {
    activate(reference.f, x, y);
    EXPECT_TRUE(std::isnan(y[0])) << static_cast<int>(reference.f);
    EXPECT_EQ(y[1], static_cast<float>(reference.value(HUGE_VAL))) << static_cast<int>(reference.f);
    EXPECT_EQ(y[2], static_cast<float>(reference.value(-HUGE_VAL)))
        << static_cast<int>(reference.f);
  }
}

}  // namespace
}  // namespace assay
