#include "results/difference.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

RunRecord with(const std::string& metric, Series series) {
  RunRecord record;
  record.metrics[metric] = std::move(series);
  return record;
}

TEST(FirstParting, IsTheFirstStepWithOtherBits) {
  const RunRecord a = with("loss", {{0, 1, 2}, {3, 2, 1}}),
                  b = with("loss", {{0, 1, 2}, {3, 2.5, 1}});
  for (const Compared rows : {Compared::common, Compared::all}) {
    const auto parting = first_parting(a, b, rows);
    ASSERT_TRUE(parting);
    EXPECT_EQ(parting->step, 1);
    EXPECT_EQ(parting->metric, "loss");
    EXPECT_EQ(parting->a, 2.0);
    EXPECT_EQ(parting->b, 2.5);
    EXPECT_FALSE(first_parting(a, a, rows));
  }
}

TEST(FirstParting, IsARowThatOnlyOneHasWhereAllAreCompared) {
  const RunRecord a = with("loss", {{0, 1}, {3, 2}}), longer = with("loss", {{0, 1, 2}, {3, 2, 1}}),
                  other = with("accuracy", {{1}, {1}});
  EXPECT_FALSE(first_parting(a, longer, Compared::common));
  EXPECT_EQ(first_parting(a, longer, Compared::all)->step, 2);
  EXPECT_FALSE(first_parting(a, longer, Compared::all)->a);
  EXPECT_FALSE(first_parting(a, other, Compared::common));
  EXPECT_EQ(first_parting(a, other, Compared::all)->metric, "loss");
  EXPECT_FALSE(first_parting(a, other, Compared::all)->b);
}

}  // namespace
}  // namespace assay
