#include "results/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Summary, NanIsNeverTheLowest) {
  const Series series{{0, 10, 20, 30, 40}, {kNan, 2.0, 1.5, kNan, 1.7}};
  ASSERT_TRUE(minimum(series));
  EXPECT_EQ(minimum(series)->value, 1.5);
  EXPECT_EQ(minimum(series)->step, 20);
  EXPECT_EQ(last(series), 1.7);
}

TEST(Summary, WithoutAnyNumberThereIsNoLowest) {
  EXPECT_FALSE(minimum({{0, 1}, {kNan, kNan}}));
  EXPECT_TRUE(std::isnan(*last({{0, 1}, {1.0, kNan}})));
  EXPECT_FALSE(minimum({}));
  EXPECT_FALSE(last({}));
}

TEST(Summary, OfEqualValuesTheFirstStepCountsAndInfinityIsANumber) {
  EXPECT_EQ(minimum({{5, 6, 7}, {3.0, 1.0, 1.0}})->step, 6);
  EXPECT_EQ(minimum({{5, 6}, {kInf, kNan}})->value, kInf);
}

}  // namespace
}  // namespace assay
