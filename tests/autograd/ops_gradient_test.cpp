// The backward pass of every operation against differences of its forward pass.
#include <gtest/gtest.h>

#include <vector>

#include "autograd/ops.h"
#include "support/grad_check.h"

namespace assay {
namespace {

using Inputs = std::vector<Tensor>;

TEST(Gradient, OfAdd) {
  check_gradients({random_input({2, 3}, 1), random_input({2, 3}, 2)},
                  [](const Inputs& in) { return add(in[0], in[1]); });
}
TEST(Gradient, OfAddRepeated) {
  check_gradients({random_input({2, 5, 3}, 1), random_input({5, 3}, 2)},
                  [](const Inputs& in) { return add(in[0], in[1]); });
}
TEST(Gradient, OfAddOfATensorToItself) {
  check_gradients({random_input({2, 3}, 1)}, [](const Inputs& in) { return add(in[0], in[0]); });
}
TEST(Gradient, OfSubtract) {
  check_gradients({random_input({2, 3}, 1), random_input({2, 3}, 2)},
                  [](const Inputs& in) { return subtract(in[0], in[1]); });
}
TEST(Gradient, OfSubtractRepeated) {
  check_gradients({random_input({4, 3}, 1), random_input({3}, 2)},
                  [](const Inputs& in) { return subtract(in[0], in[1]); });
}
TEST(Gradient, OfMultiply) {
  check_gradients({random_input({2, 3}, 1), random_input({2, 3}, 2)},
                  [](const Inputs& in) { return multiply(in[0], in[1]); });
}
TEST(Gradient, OfMultiplyRepeated) {
  check_gradients({random_input({4, 2, 3}, 1), random_input({2, 3}, 2)},
                  [](const Inputs& in) { return multiply(in[0], in[1]); });
}
TEST(Gradient, OfASquare) {
  check_gradients({random_input({2, 3}, 1)},
                  [](const Inputs& in) { return multiply(in[0], in[0]); });
}
TEST(Gradient, OfConcatenate) {
  check_gradients({random_input({2, 2, 3}, 1), random_input({2, 2, 1}, 2)},
                  [](const Inputs& in) { return concatenate(in[0], in[1]); });
}
TEST(Gradient, OfScale) {
  check_gradients({random_input({7}, 1)}, [](const Inputs& in) { return scale(in[0], -2.5F); });
}
TEST(Gradient, OfTanh) {
  check_gradients({random_input({19}, 1)}, [](const Inputs& in) { return tanh(in[0]); });
}
TEST(Gradient, OfSigmoid) {
  check_gradients({random_input({19}, 1)}, [](const Inputs& in) { return sigmoid(in[0]); });
}
TEST(Gradient, OfRelu) {
  CheckedInput x = random_input({19}, 1);
  for (float& v : x.values) v += v < 0 ? -0.1F : 0.1F;  // no difference may reach over the kink
  check_gradients({x}, [](const Inputs& in) { return relu(in[0]); });
}
TEST(Gradient, OfGelu) {
  check_gradients({random_input({19}, 1)}, [](const Inputs& in) { return gelu(in[0]); });
}
TEST(Gradient, OfSilu) {
  check_gradients({random_input({19}, 1)}, [](const Inputs& in) { return silu(in[0]); });
}
TEST(Gradient, OfSum) {
  check_gradients({random_input({3, 4}, 1)}, [](const Inputs& in) { return sum(in[0]); });
}
TEST(Gradient, OfReshape) {
  check_gradients({random_input({3, 4}, 1)}, [](const Inputs& in) {
    return multiply(reshape(in[0], {2, 6}), reshape(in[0], {2, 6}));
  });
}
TEST(Gradient, OfTranspose) {
  check_gradients({random_input({2, 3, 5}, 1)}, [](const Inputs& in) { return transpose(in[0]); });
}
TEST(Gradient, OfDropout) {
  check_gradients({random_input({50}, 1)},
                  [](const Inputs& in) { return dropout(in[0], 0.3F, Random(1, "dropout"), 5); });
}

TEST(Gradient, OfLinear) {
  check_gradients({random_input({2, 3, 4}, 1), random_input({4, 5}, 2), random_input({5}, 3)},
                  [](const Inputs& in) { return linear(in[0], in[1], in[2]); });
}
TEST(Gradient, OfLinearWithoutBias) {
  check_gradients({random_input({6, 4}, 1), random_input({4, 5}, 2)},
                  [](const Inputs& in) { return linear(in[0], in[1]); });
}
TEST(Gradient, OfLinearTransposed) {
  check_gradients({random_input({2, 3, 4}, 1), random_input({5, 4}, 2), random_input({5}, 3)},
                  [](const Inputs& in) { return linear_transposed(in[0], in[1], in[2]); });
}
TEST(Gradient, OfLinearAdd) {
  check_gradients({random_input({2, 3, 5}, 1), random_input({2, 3, 4}, 2), random_input({4, 5}, 3),
                   random_input({5}, 4)},
                  [](const Inputs& in) { return linear_add(in[0], in[1], in[2], in[3]); });
}
TEST(Gradient, OfLinearAddOfATensorToItsOwnMap) {
  check_gradients({random_input({3, 4}, 1), random_input({4, 4}, 2)},
                  [](const Inputs& in) { return linear_add(in[0], in[0], in[1]); });
}
TEST(Gradient, OfLinearGelu) {
  check_gradients({random_input({2, 3, 4}, 1), random_input({4, 5}, 2), random_input({5}, 3)},
                  [](const Inputs& in) { return linear_gelu(in[0], in[1], in[2]); });
}
TEST(Gradient, OfMatmul) {
  check_gradients({random_input({2, 3, 4}, 1), random_input({2, 4, 5}, 2)},
                  [](const Inputs& in) { return matmul(in[0], in[1]); });
}

TEST(Gradient, OfLayerNorm) {
  check_gradients({random_input({3, 2, 9}, 1), random_input({9}, 2), random_input({9}, 3)},
                  [](const Inputs& in) { return layer_norm(in[0], in[1], in[2]); });
}
TEST(Gradient, OfRmsNorm) {
  check_gradients({random_input({3, 2, 9}, 1), random_input({9}, 2)},
                  [](const Inputs& in) { return rms_norm(in[0], in[1]); });
}
TEST(Gradient, OfSoftmax) {
  check_gradients({random_input({3, 7}, 1)}, [](const Inputs& in) { return softmax(in[0]); });
}

TEST(Gradient, OfEmbedding) {
  const std::vector<std::int32_t> ids = {2, 0, 2, -1, 3, 2};
  check_gradients({random_input({5, 4}, 1)}, [&](const Inputs& in) {
    return embedding(in[0], ids, {2, 3});
  });
}
TEST(Gradient, OfAddPositions) {
  check_gradients({random_input({3, 2, 4}, 1), random_input({6, 4}, 2)},
                  [](const Inputs& in) { return add_positions(in[0], in[1], 3); });
}

TEST(Gradient, OfSomePositions) {
  check_gradients({random_input({3, 5, 2}, 1)},
                  [](const Inputs& in) { return some_positions(in[0], 1, 3); });
}
TEST(Gradient, OfRotary) {
  const CheckedInput cosines = random_input({3, 2}, 2), sines = random_input({3, 2}, 3);
  check_gradients({random_input({2, 3, 8}, 1)}, [&](const Inputs& in) {
    return rotary(in[0], 2, {cosines.values, sines.values});
  });
}

TEST(Gradient, OfCrossEntropy) {
  const std::vector<std::int32_t> targets = {2, 0, -1, 4};
  check_gradients({random_input({4, 5}, 1)},
                  [&](const Inputs& in) { return cross_entropy(in[0], targets).sum; });
}
TEST(Gradient, OfCrossEntropyWithWeights) {
  const std::vector<std::int32_t> targets = {2, 0, -1, 4};
  const std::vector<float> weights = {0.5F, 2, 3, 0};
  check_gradients({random_input({2, 2, 5}, 1)},
                  [&](const Inputs& in) { return cross_entropy(in[0], targets, weights).sum; });
}

TEST(Gradient, OfCrossEntropyWithLabelSmoothing) {
  const std::vector<std::int32_t> targets = {2, 0, -1, 4};
  const std::vector<float> weights = {0.5F, 2, 3, 0};
  check_gradients({random_input({4, 5}, 1)}, [&](const Inputs& in) {
    return cross_entropy(in[0], targets, weights, 0.2F).sum;
  });
}

void check_attention(std::int64_t queries, std::int64_t keys, std::int64_t heads,
                     const AttentionMask& mask) {
  check_gradients({random_input({2, queries, 8}, 1), random_input({2, keys, 8}, 2),
                   random_input({2, keys, 8}, 3)},
                  [&](const Inputs& in) { return attention(in[0], in[1], in[2], heads, mask); });
}

TEST(Gradient, OfAttention) {
  check_attention(5, 5, 2, {});
}
TEST(Gradient, OfAttentionToItself) {
  check_gradients({random_input({2, 5, 8}, 1)},
                  [](const Inputs& in) { return attention(in[0], in[0], in[0], 2); });
}
TEST(Gradient, OfAttentionWithKeysThatAreTheValues) {
  check_gradients({random_input({2, 5, 8}, 1), random_input({2, 3, 8}, 2)},
                  [](const Inputs& in) { return attention(in[0], in[1], in[1], 2); });
}
TEST(Gradient, OfCrossAttention) {
  check_attention(3, 7, 4, {});
}
TEST(Gradient, OfCausalAttention) {
  AttentionMask mask;
  mask.causal = true;
  check_attention(6, 6, 2, mask);
}
TEST(Gradient, OfAttentionWithPadding) {
  const std::vector<std::uint8_t> keys = {1, 1, 0, 1, 0, 1, 1, 0, 0, 0};
  AttentionMask mask;
  mask.keys = keys;
  check_attention(4, 5, 1, mask);
}
TEST(Gradient, OfAttentionWhoseHeadsShareKeys) {
  check_gradients(
      {random_input({2, 4, 12}, 1), random_input({2, 5, 6}, 2), random_input({2, 5, 6}, 3)},
      [](const Inputs& in) { return attention(in[0], in[1], in[2], 4); });
}
TEST(Gradient, OfAttentionWithinAWindow) {
  AttentionMask mask;
  mask.window = 2;
  check_attention(6, 6, 2, mask);
  mask.causal = true;
  check_attention(6, 6, 2, mask);
}
TEST(Gradient, OfAttentionWithABiasByDistance) {
  for (const std::int64_t first : {0, -2}) {
    const std::vector<CheckedInput> inputs = {random_input({2, 5, 8}, 1),
                                              random_input({2, 5, 8}, 2),
                                              random_input({2, 5, 8}, 3), random_input({2, 4}, 4)};
    check_gradients(inputs, [&](const Inputs& in) {
      return attention(in[0], in[1], in[2], 2, {}, {}, {in[3], first});
    });
  }
}
TEST(Gradient, OfAttentionWithAPairMaskThatLeavesARowEmpty) {
  const std::vector<std::uint8_t> pairs = {1, 0, 1, 0, 0, 0, 0, 1, 1};
  AttentionMask mask;
  mask.pairs = pairs;
  check_attention(3, 3, 2, mask);
}

}  // namespace
}  // namespace assay
