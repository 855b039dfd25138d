#include "experiment/admission.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Next = std::optional<std::size_t>;

TEST(Admission, RunsWaitUntilTheyFit) {
  Admission admission({6, 6, 3}, 10);
  EXPECT_EQ(admission.next(), Next(0));
  EXPECT_EQ(admission.next(), Next(2));  // passes the one that has to wait
  EXPECT_EQ(admission.next(), Next());
  admission.ended(0);
  EXPECT_EQ(admission.next(), Next(1));
  EXPECT_EQ(admission.next(), Next());
}

TEST(Admission, ARunThatNeverFitsRunsAlone) {
  Admission admission({50, 1}, 10);
  EXPECT_EQ(admission.next(), Next(0));
  EXPECT_EQ(admission.next(), Next());
  admission.ended(0);
  EXPECT_EQ(admission.next(), Next(1));
}

TEST(Admission, WhatNeedsNothingStartsAtOnceAndInOrder) {
  Admission admission({0, 0, 0}, 0);
  for (std::size_t run = 0; run < 3; ++run) EXPECT_EQ(admission.next(), Next(run));
  EXPECT_EQ(admission.next(), Next());
}

}  // namespace
}  // namespace assay
