// What operations do at the edges: masks, ignored targets, ids, shapes that do not fit.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "support/grad_check.h"
#include "support/thrown.h"

namespace assay {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Tensor leaf(Tape& tape, CheckedInput& x) {
  return tape.variable(x.shape, x.values.data(), nullptr);
}

// D28: scores [1, 2, masked] and a row with all masked, values 10, 20, 30.
TEST(Attention, OfAQueryWithoutAllowedKeysIsZeroWithFiniteGradients) {
  std::vector<float> q = {1, 1}, k = {1, 2, 3}, v = {10, 20, 30};
  std::vector<float> dq(2), dk(3), dv(3), weights(6);
  const std::vector<std::uint8_t> pairs = {1, 1, 0, 0, 0, 0};
  AttentionMask mask;
  mask.pairs = pairs;
  Tape tape;
  const Tensor y = attention(tape.variable({1, 2, 1}, q.data(), dq.data()),
                             tape.variable({1, 3, 1}, k.data(), dk.data()),
                             tape.variable({1, 3, 1}, v.data(), dv.data()), 1, mask, weights);
  EXPECT_NEAR(y.values()[0], 17.310586, 2e-5);  // float32 at 17
  EXPECT_EQ(y.values()[1], 0);
  EXPECT_NEAR(weights[0], 0.268941, 1e-6);
  EXPECT_NEAR(weights[1], 0.731059, 1e-6);
  for (std::size_t i = 2; i < 6; ++i) EXPECT_EQ(weights[i], 0);
  tape.backward(sum(y));
  EXPECT_EQ(dq[1], 0);
  EXPECT_EQ(dk[2], 0);
  EXPECT_EQ(dv[2], 0);
  for (const auto* d : {&dq, &dk, &dv})
    for (const float g : *d) EXPECT_TRUE(std::isfinite(g));
}

// D28: whatever stands at masked places must not reach the output or a gradient.
TEST(Attention, DoesNotLookAtNaNBehindTheMask) {
  CheckedInput q = random_input({1, 3, 4}, 1), k = random_input({1, 3, 4}, 2),
               v = random_input({1, 3, 4}, 3);
  const std::vector<std::uint8_t> keys = {1, 0, 1};
  AttentionMask mask;
  mask.keys = keys;
  const auto run = [&] {
    std::vector<float> d(12);
    Tape tape;
    const Tensor y = attention(tape.variable(q.shape, q.values.data(), d.data()), leaf(tape, k),
                               leaf(tape, v), 2, mask);
    tape.backward(sum(y));
    d.insert(d.end(), y.values().begin(), y.values().end());
    return d;
  };
  const std::vector<float> clean = run();
  for (std::size_t i = 4; i < 8; ++i) k.values[i] = v.values[i] = i % 2 ? kNaN : INFINITY;
  EXPECT_EQ(run(), clean);
}

TEST(Attention, CausalOutputsDoNotChangeByABitWithLaterKeys) {
  CheckedInput x = random_input({2, 9, 8}, 1);
  AttentionMask mask;
  mask.causal = true;
  Tape tape;
  const Tensor before = attention(leaf(tape, x), leaf(tape, x), leaf(tape, x), 2, mask);
  CheckedInput changed = x;
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t i = 6 * 8; i < 9 * 8; ++i)
      changed.values[static_cast<std::size_t>(b * 72 + i)] += 1;
  const Tensor after =
      attention(leaf(tape, changed), leaf(tape, changed), leaf(tape, changed), 2, mask);
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t i = 0; i < 6 * 8; ++i)
      EXPECT_EQ(after.values()[b * 72 + i], before.values()[b * 72 + i]);
  EXPECT_NE(after.values()[6 * 8], before.values()[6 * 8]);
}

TEST(Attention, WeightsOfAllowedKeysSumToOne) {
  CheckedInput x = random_input({1, 6, 8}, 1);
  AttentionMask mask;
  mask.causal = true;
  std::vector<float> weights(2 * 6 * 6);
  Tape tape;
  attention(leaf(tape, x), leaf(tape, x), leaf(tape, x), 2, mask, weights);
  for (std::size_t row = 0; row < 12; ++row) {
    const auto begin = weights.begin() + static_cast<std::ptrdiff_t>(row * 6);
    EXPECT_NEAR(std::accumulate(begin, begin + 6, 0.0), 1, 1e-6);
    for (std::size_t key = row % 6 + 1; key < 6; ++key)
      EXPECT_EQ(begin[static_cast<std::ptrdiff_t>(key)], 0);
  }
}

// D05, D03: losses are sums with weights, so that cutting a batch changes nothing.
TEST(CrossEntropy, OfTwoPartsAddsUpToTheWhole) {
  CheckedInput logits = random_input({4, 5}, 1);
  const std::vector<std::int32_t> targets = {2, 0, -1, 4};
  Tape tape;
  const SummedLoss whole = cross_entropy(leaf(tape, logits), targets);
  const SummedLoss first = cross_entropy(tape.variable({3, 5}, logits.values.data(), nullptr),
                                         std::span(targets).first(3));
  const SummedLoss second = cross_entropy(tape.variable({1, 5}, logits.values.data() + 15, nullptr),
                                          std::span(targets).last(1));
  EXPECT_EQ(whole.weight, 3);
  EXPECT_EQ(first.weight + second.weight, whole.weight);
  EXPECT_NEAR(first.sum.values()[0] + second.sum.values()[0], whole.sum.values()[0], 1e-6);
}

TEST(CrossEntropy, OfNoTargetAtAllIsZeroWithWeightZero) {
  CheckedInput logits = random_input({2, 5}, 1);
  const std::vector<std::int32_t> targets = {-1, -1};
  Tape tape;
  const SummedLoss loss = cross_entropy(leaf(tape, logits), targets);
  EXPECT_EQ(loss.weight, 0);
  EXPECT_EQ(loss.sum.values()[0], 0);
}

TEST(CrossEntropy, RefusesATargetBeyondTheClasses) {
  CheckedInput logits = random_input({2, 5}, 1);
  const std::vector<std::int32_t> targets = {4, 5};
  Tape tape;
  EXPECT_EQ(thrown([&] { cross_entropy(leaf(tape, logits), targets); }),
            "[5] [cross_entropy] target 5 at position 1: ids must be below 5");
}

TEST(Embedding, GivesZerosForANegativeId) {
  CheckedInput table = random_input({3, 2}, 1);
  const std::vector<std::int32_t> ids = {1, -1};
  Tape tape;
  const Tensor y = embedding(leaf(tape, table), ids, {2});
  EXPECT_EQ(y.values()[0], table.values[2]);
  EXPECT_EQ(y.values()[2], 0);
  EXPECT_EQ(y.values()[3], 0);
}

TEST(Embedding, RefusesAnIdBeyondTheTable) {
  CheckedInput table = random_input({3, 2}, 1);
  const std::vector<std::int32_t> ids = {1, 0, 7};
  Tape tape;
  EXPECT_EQ(thrown([&] { embedding(leaf(tape, table), ids, {3}); }),
            "[5] [embedding] id 7 at position 2: ids must be below 3");
}

TEST(Positions, BeyondTheTableAreRefused) {
  CheckedInput x = random_input({1, 3, 2}, 1), positions = random_input({4, 2}, 2);
  Tape tape;
  EXPECT_EQ(thrown([&] { add_positions(leaf(tape, x), leaf(tape, positions), 2); }),
            "[3] [add_positions] (1, 3, 2) x (4, 2): positions 2 to 4 of 4 are wanted");
}

TEST(Dropout, DoesNotDependOnHowABatchIsCut) {
  CheckedInput x = random_input({4, 25}, 1);
  const Random random(3, "dropout");
  Tape tape;
  const Tensor whole = dropout(leaf(tape, x), 0.5F, random, 0);
  const Tensor part =
      dropout(tape.variable({1, 25}, x.values.data() + 75, nullptr), 0.5F, random, 75);
  for (std::size_t i = 0; i < 25; ++i) EXPECT_EQ(part.values()[i], whole.values()[75 + i]);
}

TEST(Shapes, ThatDoNotFitAreNamedWithTheOperation) {
  CheckedInput x = random_input({32, 64}, 1), w = random_input({65, 64}, 2);
  CheckedInput b = random_input({3}, 3);
  Tape tape;
  const Tensor a = leaf(tape, x), c = leaf(tape, w), d = leaf(tape, b);
  EXPECT_EQ(thrown([&] { linear(a, c); }),
            "[3] [linear] (32, 64) x (65, 64): inner extents differ, 64 and 65");
  EXPECT_EQ(thrown([&] { linear_transposed(a, c, d); }),
            "[3] [linear_transposed] (65, 64) x (3): the bias must have shape (65)");
  EXPECT_EQ(thrown([&] { linear_add(c, a, transpose(c)); }),
            "[3] [linear_add] (65, 64) x (32, 65): the residual and the product differ");
  EXPECT_EQ(thrown([&] { matmul(a, c); }),
            "[3] [matmul] (32, 64) x (65, 64): inner extents differ, 64 and 65");
  EXPECT_EQ(thrown([&] { add(a, c); }),
            "[3] [add] (32, 64) x (65, 64): the second is neither like the first nor its last "
            "dimensions");
  EXPECT_EQ(thrown([&] { reshape(a, {5}); }),
            "[3] [reshape] (32, 64) x (5): the numbers of elements differ");
  EXPECT_EQ(thrown([&] { layer_norm(a, d, d); }),
            "[3] [layer_norm] (32, 64) x (3): gain and bias must have the last extent of x");
  EXPECT_EQ(thrown([&] { attention(a, a, a, 2); }),
            "[3] [attention] (32, 64): wanted queries [B, N, D]");
  const Tensor q = reshape(a, {1, 32, 64});
  EXPECT_EQ(thrown([&] { attention(q, q, q, 3); }),
            "[3] [attention] (1, 32, 64): 3 heads do not divide width 64");
}

}  // namespace
}  // namespace assay
