#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "base/philox.h"

namespace assay {
namespace {

using Words = std::array<std::uint32_t, 4>;

// The vectors that Random123 publishes (examples/kat_vectors, philox4x32 10).
TEST(Philox, GivesThePublishedKnownAnswers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      philox4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
      (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, IsAFunctionOfItsArguments) {
  EXPECT_EQ(Random(1, "batch", 3).block(5), Random(1, "batch", 3).block(5));
  EXPECT_EQ(Random(1, "init").with("layer0").block(5), Random(1, "init").with("layer0").block(5));
}

TEST(Random, EveryArgumentMatters) {
  std::set<Words> blocks;
  for (const std::uint64_t seed : {0u, 1u, 2u})
    for (const char* purpose : {"", "a", "batch", "batch2"})
      for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32})
        for (const std::uint64_t index :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
          blocks.insert(Random(seed, purpose, step).block(index));
          blocks.insert(Random(seed, purpose, step).with("part").block(index));
        }
  EXPECT_EQ(blocks.size(), 3u * 4 * 3 * 3 * 2);
}

struct Moments {
  double mean = 0, variance = 0, skewness = 0, kurtosis = 0, lag = 0;
};

template <class Draw>
Moments moments(int n, Draw draw) {
  std::vector<double> x;
  for (int i = 0; i < n; ++i) x.push_back(draw(static_cast<std::uint64_t>(i)));
  Moments m;
  for (double v : x) m.mean += v / n;
  for (double v : x) m.variance += (v - m.mean) * (v - m.mean) / n;
  const double sigma = std::sqrt(m.variance);
  for (double v : x) {
    m.skewness += std::pow((v - m.mean) / sigma, 3) / n;
    m.kurtosis += std::pow((v - m.mean) / sigma, 4) / n;
  }
  for (std::size_t i = 1; i < x.size(); ++i)
    m.lag += (x[i] - m.mean) * (x[i - 1] - m.mean) / m.variance / n;
  return m;
}

constexpr int kDraws = 100'000;
// Tolerances are five standard errors of the moment for independent draws.
const double kError = 5 / std::sqrt(static_cast<double>(kDraws));

TEST(Random, UniformHasTheMomentsOfTheUnitInterval) {
  const Random draw(1, "uniform");
  const Moments m = moments(kDraws, [&](std::uint64_t i) { return draw.uniform(i); });
  EXPECT_NEAR(m.mean, 0.5, kError * std::sqrt(1.0 / 12));
  EXPECT_NEAR(m.variance, 1.0 / 12, kError * std::sqrt(1.0 / 180));
  EXPECT_NEAR(m.lag, 0, kError);
}

TEST(Random, UniformStaysBelowOne) {
  const Random draw(2, "uniform");
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double u = draw.uniform(i);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ASSERT_EQ(std::floor(std::ldexp(u, 53)), std::ldexp(u, 53));
  }
}

TEST(Random, NormalHasTheMomentsOfTheStandardNormal) {
  const Random draw(1, "normal");
  const Moments m = moments(kDraws, [&](std::uint64_t i) { return draw.normal(i); });
  EXPECT_NEAR(m.mean, 0, kError);
  EXPECT_NEAR(m.variance, 1, kError * std::sqrt(2.0));
  EXPECT_NEAR(m.skewness, 0, kError * std::sqrt(6.0));
  EXPECT_NEAR(m.kurtosis, 3, kError * std::sqrt(24.0));
  EXPECT_NEAR(m.lag, 0, kError);
}

TEST(Random, NormalHasTheTailsOfTheStandardNormal) {
  const Random draw(3, "normal");
  int beyond = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) beyond += std::abs(draw.normal(i)) > 2;
  const double p = 0.04550026389635842;  // of |x| > 2, from erfc(sqrt(2))
  EXPECT_NEAR(beyond, kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p)));
}

TEST(Random, BelowIsUniformOverItsRange) {
  const Random draw(4, "below");
  constexpr int n = 10;
  std::vector<int> counts(n);
  for (std::uint64_t i = 0; i < kDraws; ++i) ++counts.at(draw.below(i, n));
  double chi_squared = 0;
  for (int count : counts) chi_squared += std::pow(count - kDraws / n, 2) / (kDraws / n);
  EXPECT_LT(chi_squared, 33.7);  // exceeded once in 10,000 with 9 degrees of freedom
}

TEST(Random, BelowOneIsAlwaysZeroAndLargeRangesAreReached) {
  const Random draw(5, "below");
  const std::uint64_t n = std::uint64_t{1} << 63;
  bool upper_half = false;
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(draw.below(i, 1), 0u);
    EXPECT_LT(draw.below(i, n), n);
    upper_half |= draw.below(i, n) >= n / 2;
  }
  EXPECT_TRUE(upper_half);
}

}  // namespace
}  // namespace assay
