#include "train/generate.h"

#include <gtest/gtest.h>

#include <vector>

#include "autograd/tape.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;
constexpr std::int64_t kVocabulary = 6;

/// After an id comes the next one, and after the last the first.
class CountsUp final : public Model {
 public:
  Output forward(const Batch& batch, Pass& pass) const override {
    const auto input = batch.ids("input");
    std::vector<float> logits(input.values.size() * kVocabulary, -100);
    for (std::size_t i = 0; i < input.values.size(); ++i)
      logits[i * kVocabulary + static_cast<std::size_t>((input.values[i] + 1) % kVocabulary)] = 100;
    return {pass.tape().constant(input.shape.appended(kVocabulary), logits), {}};
  }
};

Ids generated(std::int32_t first, std::int64_t length, std::int32_t stop) {
  Parameters none;
  none.initialise(1);
  return generate(CountsUp(), none, {}, Ids{first}, length, Random(1, "samples"), stop);
}

TEST(Generate, GoesOnForAsManyTokensAsAskedFor) {
  EXPECT_EQ(generated(2, 6, -1), (Ids{3, 4, 5, 0, 1, 2}));
}

TEST(Generate, EndsBeforeTheIdThatStopsIt) {
  EXPECT_EQ(generated(2, 6, 0), (Ids{3, 4, 5}));
  EXPECT_EQ(generated(2, 6, 3), Ids{});
}

TEST(Generate, IsNotStoppedByAnIdOfThePrompt) {
  EXPECT_EQ(generated(2, 4, 2), (Ids{3, 4, 5, 0}));
}

}  // namespace
}  // namespace assay
