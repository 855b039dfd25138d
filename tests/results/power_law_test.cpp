#include "results/power_law.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/golden.h"
#include "support/thrown.h"

namespace assay {
namespace {

class PowerLawOf : public testing::TestWithParam<const char*> {};

// 1e-4: SciPy's derivatives are differences.
void expect_estimate(const Estimate& found, double value, double half, const std::string& what) {
  EXPECT_NEAR(found.value, value, 1e-4 * std::abs(value)) << what;
  EXPECT_NEAR(found.interval.high - found.value, half, 1e-3 * half) << what;
  EXPECT_NEAR(found.value - found.interval.low, half, 1e-3 * half) << what;
}

TEST_P(PowerLawOf, AgreesWithSciPy) {
  const Golden golden("power_law");
  for (const auto& one : golden.json()) {
    if (one.at("name") != GetParam()) continue;
    const bool floor = one.at("floor").get<bool>();
    const auto value = one.at("value").get<std::vector<double>>();
    const auto half = one.at("half").get<std::vector<double>>();
    const PowerLaw law = fit_power_law(one.at("x").get<std::vector<std::vector<double>>>(),
                                       one.at("y").get<std::vector<double>>(), {floor});
    for (std::size_t j = 0; j < law.terms.size(); ++j) {
      expect_estimate(law.terms[j].factor, value[2 * j], half[2 * j], "factor");
      expect_estimate(law.terms[j].exponent, value[2 * j + 1], half[2 * j + 1], "exponent");
    }
    if (floor) expect_estimate(law.floor, value.back(), half.back(), "floor");
    EXPECT_EQ(law.degrees, law.points - value.size());
    EXPECT_GT(law.explained, 0.98);
    return;
  }
  FAIL() << "no such case";
}
INSTANTIATE_TEST_SUITE_P(Cases, PowerLawOf, testing::Values("one", "bare", "two"),
                         [](const auto& test) { return std::string(test.param); });

TEST(PowerLaw, IsFoundExactlyWithoutNoise) {
  const std::vector<double> x = {1e3, 1e4, 1e5, 1e6, 1e7};
  std::vector<double> y;
  for (const double at : x) y.push_back(1.5 + 20 * std::pow(at, -0.3));
  const PowerLaw law = fit_power_law({x}, y);
  EXPECT_NEAR(law.floor.value, 1.5, 1e-6);
  EXPECT_NEAR(law.terms[0].exponent.value, 0.3, 1e-6);
  EXPECT_NEAR(law.terms[0].factor.value, 20, 1e-4);
}

TEST(PowerLaw, RefusesWhatDeterminesNone) {
  EXPECT_EQ(thrown([] {
              fit_power_law({{1, 2, 3}}, {3, 2, 1});
            }),
            "[2] a power law of 3 numbers needs 4 points or more, got 3");
  EXPECT_EQ(thrown([] {
              fit_power_law({{1, 2, 1, 2}}, {3, 2, 3, 2});
            }),
            "[2] term 1 has 2 different values; a power law with a floor needs 3");
}

}  // namespace
}  // namespace assay
