#include "experiment/failure_watch.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

RunRecord failed(const std::string& message) {
  RunRecord record;
  record.status = RunStatus::failed;
  record.message = message;
  return record;
}

RunRecord done() {
  RunRecord record;
  record.status = RunStatus::done;
  return record;
}

TEST(FailureWatch, StopsAfterSoManyFailures) {
  FailureWatch watch(2);
  EXPECT_FALSE(watch.saw(failed("a")));
  EXPECT_FALSE(watch.saw(done()));
  EXPECT_TRUE(watch.saw(failed("b")));
  EXPECT_TRUE(watch.saw(done()));
  EXPECT_EQ(watch.reason(), "2 runs failed");
}

TEST(FailureWatch, StopsAtTheFirstFailureIfOneIsTooMany) {
  FailureWatch watch(1);
  EXPECT_TRUE(watch.saw(failed("a")));
  EXPECT_EQ(watch.reason(), "a run failed");
}

TEST(FailureWatch, TakesFailuresThatDifferOnlyInNumbersForOneMistake) {
  FailureWatch watch(std::nullopt);
  for (int i = 1; i < FailureWatch::kAlike; ++i)
    EXPECT_FALSE(watch.saw(failed("step " + std::to_string(i) + ": the loss is not finite")));
  EXPECT_TRUE(watch.saw(failed("step 12: the loss is not finite")));
  EXPECT_EQ(watch.reason(), "8 runs in a row failed alike: step 12: the loss is not finite");
}

TEST(FailureWatch, CountsAnewAfterASuccessOrAnotherFailure) {
  FailureWatch watch(std::nullopt);
  for (int i = 0; i < 5 * FailureWatch::kAlike; ++i) {
    const bool last = i % FailureWatch::kAlike == FailureWatch::kAlike - 1;
    EXPECT_FALSE(watch.saw(last ? (i % 2 ? done() : failed("b")) : failed("a")));
  }
  EXPECT_EQ(watch.reason(), "");
}

TEST(FailureWatch, NeverStopsWhenToldToContinue) {
  FailureWatch watch(0);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(watch.saw(failed("a")));
}

}  // namespace
}  // namespace assay
