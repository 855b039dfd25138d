#include "data/windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace assay {
namespace {

std::vector<std::int64_t> indices(const std::vector<Example>& examples) {
  std::vector<std::int64_t> result;
  for (const Example& example : examples) {
    EXPECT_EQ(example.skip, 0);
    result.push_back(example.index);
  }
  return result;
}

// 111,540 characters and context 64; the outputs of a generator seeded with 123 are those of
// Python's.
TEST(EvaluationWindows, AreThoseOfThePublishedFigures) {
  EXPECT_EQ(indices(evaluation_windows(111'540 - 64, 123, 6)),
            (std::vector<std::int64_t>{103707, 13014, 58702, 39310, 28080, 86292}));
}

TEST(EvaluationWindows, OfOneOrTwoExamplesAreTheFirst) {
  EXPECT_EQ(indices(evaluation_windows(1, 123, 3)), (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(indices(evaluation_windows(2, 123, 3)), (std::vector<std::int64_t>{0, 0, 0}));
}

TEST(TrainingExamples, AreEachFromTheirStepAlone) {
  const auto once = indices(training_examples(false, 1000, 7, 12, 32));
  EXPECT_EQ(once, indices(training_examples(false, 1000, 7, 12, 32)));
  EXPECT_NE(once, indices(training_examples(false, 1000, 7, 13, 32)));
  EXPECT_NE(once, indices(training_examples(false, 1000, 8, 12, 32)));
}

TEST(TrainingExamples, UseEveryExample) {
  std::set<std::int64_t> seen;
  for (const std::int64_t index : indices(training_examples(false, 50, 1, 0, 2000)))
    seen.insert(index);
  EXPECT_EQ(seen.size(), 50u);
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), 49);
}

TEST(TrainingExamples, ShuffledShowEachExampleOncePerEpoch) {
  for (const std::int64_t examples : {1, 2, 3, 10, 64, 65, 1000}) {
    std::vector<std::int64_t> expected(static_cast<std::size_t>(examples));
    for (std::int64_t i = 0; i < examples; ++i) expected[static_cast<std::size_t>(i)] = i;
    for (const std::int64_t epoch : {0, 1, 5}) {
      auto got = indices(training_examples(true, examples, 3, epoch, examples));
      std::sort(got.begin(), got.end());
      EXPECT_EQ(got, expected) << examples << " examples, epoch " << epoch;
    }
  }
}

TEST(TrainingExamples, ShuffledDifferBetweenEpochsAndSeeds) {
  const auto first = indices(training_examples(true, 1000, 3, 0, 1000));
  EXPECT_NE(first, indices(training_examples(true, 1000, 3, 1, 1000)));
  EXPECT_NE(first, indices(training_examples(true, 1000, 4, 0, 1000)));
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
}

TEST(TrainingExamples, ShuffledGoOnAcrossTheEndOfAnEpoch) {
  std::vector<std::int64_t> stepwise;
  for (std::int64_t step = 0; step < 10; ++step)
    for (const std::int64_t index : indices(training_examples(true, 10, 3, step, 3)))
      stepwise.push_back(index);
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    const std::set<std::int64_t> seen(
        stepwise.begin() + static_cast<std::ptrdiff_t>(10 * epoch),
        stepwise.begin() + static_cast<std::ptrdiff_t>(10 * epoch + 10));
    EXPECT_EQ(seen.size(), 10u) << "epoch " << epoch;
  }
}

// Where example 0 stands in 2,000 epochs, in 20 bins: chi-square with 19 degrees of freedom
// exceeds 43.8 once in a thousand.
TEST(TrainingExamples, ShuffledPutAnExampleAnywhere) {
  std::vector<int> bins(20);
  constexpr int kEpochs = 2000;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const auto order = indices(training_examples(true, 100, 11, epoch, 100));
    ++bins[static_cast<std::size_t>(std::find(order.begin(), order.end(), 0) - order.begin()) / 5];
  }
  double chi_square = 0;
  for (const int count : bins) {
    const double expected = kEpochs / 20.0;
    chi_square += (count - expected) * (count - expected) / expected;
  }
  EXPECT_LT(chi_square, 43.8);
}

}  // namespace
}  // namespace assay
