#include "autograd/ops_candidates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "autograd/ops_linear.h"
#include "support/grad_check.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Inputs = std::vector<Tensor>;

TEST(Gradient, OfEmbeddingMean) {
  const std::vector<std::int32_t> ids = {2, 0, -1, 2, 2, 3, -1, -1, -1};
  check_gradients({random_input({5, 11}, 1)}, [&](const Inputs& in) {
    return embedding_mean(in[0], ids, {3, 3});
  });
}

TEST(Gradient, OfCandidateScores) {
  const std::vector<std::int32_t> ids = {2, 0, -1, 2, 4, 4};
  check_gradients({random_input({1, 3, 9}, 1), random_input({5, 9}, 2)}, [&](const Inputs& in) {
    return candidate_scores(in[0], in[1], ids, {1, 3, 2});
  });
}

TEST(Gradient, OfBinaryCrossEntropy) {
  const std::vector<float> labels = {1, 0, -1, 0.25F, 0, 1};
  check_gradients({random_input({2, 3}, 1)},
                  [&](const Inputs& in) { return binary_cross_entropy(in[0], labels).sum; });
}

TEST(EmbeddingMean, LeavesNegativeIdsOut) {
  Tape tape;
  const std::vector<float> table = {1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> ids = {0, 2, -1, -1, -1, -1};
  const Tensor mean = embedding_mean(tape.constant({3, 2}, table), ids, {2, 3});
  EXPECT_EQ(mean.shape(), (Shape{2, 2}));
  const std::vector<float> values(mean.values().begin(), mean.values().end());
  EXPECT_EQ(values, (std::vector<float>{3, 4, 0, 0}));
}

TEST(CandidateScores, OfAllRowsAreTheProductWithTheTable) {
  Tape tape;
  const CheckedInput x = random_input({2, 37}, 1), table = random_input({3, 37}, 2);
  const Tensor a = tape.constant(x.shape, x.values), b = tape.constant(table.shape, table.values);
  const std::vector<std::int32_t> ids = {0, 1, 2, 0, 1, 2};
  const Tensor scores = candidate_scores(a, b, ids, {2, 3}), product = linear_transposed(a, b);
  for (std::size_t i = 0; i < ids.size(); ++i)
    EXPECT_NEAR(scores.values()[i], product.values()[i], 1e-5);  // sums of 37 float32 products
}

TEST(BinaryCrossEntropy, IsFiniteForLargeLogits) {
  Tape tape;
  const std::vector<float> logits = {200, -200, 200, -200}, labels = {1, 0, 0, -1};
  const SummedLoss loss = binary_cross_entropy(tape.constant({4}, logits), labels);
  EXPECT_EQ(loss.sum.values()[0], 200);
  EXPECT_EQ(loss.weight, 3);
}

TEST(CandidateScores, SaysWhichShapesDoNotFit) {
  Tape tape;
  const CheckedInput x = random_input({2, 4}, 1), table = random_input({3, 4}, 2);
  const Tensor a = tape.constant(x.shape, x.values), b = tape.constant(table.shape, table.values);
  const std::vector<std::int32_t> ids = {0, 1, 3};
  EXPECT_EQ(thrown([&] {
              candidate_scores(a, b, ids, {3, 1});
            }),
            "[5] [candidate_scores] id 3 at position 2: ids must be below 3");
}

}  // namespace
}  // namespace assay
