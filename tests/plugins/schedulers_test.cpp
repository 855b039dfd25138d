#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "interfaces/scheduler.h"
#include "plugins/bundled.h"
#include "support/thrown.h"

namespace assay {
namespace {

std::unique_ptr<Scheduler> warmup_cosine(const std::string& options, std::int64_t steps) {
  return make<Scheduler>("{type: warmup_cosine, " + options + "}", {steps, 1e-3});
}

// D33 with the (k + 1) / W form, D34 for what comes after the end.
TEST(WarmupCosine, MovesInStepZeroReachesThePeakAndStaysAtTheMinimum) {
  const auto schedule = warmup_cosine("warmup: 3, minimum: 1e-4", 9);
  const std::vector<double> wanted = {0.000333333333, 0.000666666667, 0.001,   0.001,
                                      0.000939711432, 0.000775,       0.00055, 0.000325,
                                      0.000160288568, 0.0001,         0.0001,  0.0001};
  for (std::size_t k = 0; k < wanted.size(); ++k)
    EXPECT_NEAR(schedule->learning_rate(static_cast<std::int64_t>(k)), wanted[k], 1e-12) << k;
}

TEST(WarmupCosine, WithoutWarmupStartsAtThePeak) {
  EXPECT_EQ(warmup_cosine("minimum: 1e-4", 9)->learning_rate(0), 1e-3);
}

// REFERENCE: 6e-3 (k + 1) / 100 for k < 100, then 3e-3 (1 + cos(pi (k - 100) / 800)).
TEST(WarmupCosine, IsTheScheduleOfTheReference) {
  const auto schedule = make<Scheduler>("{type: warmup_cosine, warmup: 100}", {900, 6e-3});
  EXPECT_NEAR(schedule->learning_rate(0), 6e-5, 1e-15);
  EXPECT_NEAR(schedule->learning_rate(99), 6e-3, 1e-15);
  EXPECT_NEAR(schedule->learning_rate(500), 3e-3, 1e-15);
  EXPECT_NEAR(schedule->learning_rate(899), 3e-3 * (1 + std::cos(M_PI * 799 / 800)), 1e-15);
}

TEST(WarmupCosine, ThatIsAllWarmupHasNoNaN) {
  const auto schedule = warmup_cosine("warmup: 9, minimum: 1e-4", 9);
  for (std::int64_t k = 0; k < 12; ++k) {
    EXPECT_GE(schedule->learning_rate(k), 1e-4) << k;
    EXPECT_LE(schedule->learning_rate(k), 1e-3) << k;
  }
}

TEST(WarmupCosine, RefusesAWarmupLongerThanTheRun) {
  EXPECT_EQ(
      thrown([] { warmup_cosine("warmup: 12", 9); }),
      "[2] test.yaml:1:31: scheduler.warmup is 12 steps, but the run has only 9 steps: shorten the "
      "warm-up or raise train.steps\n"
      "  {type: warmup_cosine, warmup: 12}\n"
      "                                ^");
}

TEST(WarmupCosine, RefusesAMinimumAboveThePeak) {
  EXPECT_EQ(thrown([] { warmup_cosine("minimum: 1", 9); }),
            "[2] test.yaml:1:32: scheduler.minimum is above optimizer.learning_rate: lower it\n"
            "  {type: warmup_cosine, minimum: 1}\n"
            "                                 ^");
}

TEST(Constant, GivesThePeakAtEveryStep) {
  const auto schedule = make<Scheduler>("{type: constant}", {9, 1e-3});
  for (const std::int64_t k : {0, 5, 100}) EXPECT_EQ(schedule->learning_rate(k), 1e-3);
}

}  // namespace
}  // namespace assay
