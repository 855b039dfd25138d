#include "nn/layers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "nn/attention.h"
#include "nn/block.h"
#include "nn/key_value_cache.h"
#include "support/grad_check.h"
#include "support/thrown.h"

namespace assay {
namespace {

std::vector<std::string> paths(const Parameters& parameters) {
  std::vector<std::string> paths;
  for (const ParameterInfo& info : parameters.infos()) paths.push_back(info.path);
  return paths;
}

TEST(Layers, PutASingleParameterAtTheirOwnPathAndSeveralUnderIt) {
  Parameters parameters;
  LinearOptions bare;
  bare.bias = false;
  const Linear head(Scope(parameters) / "head", 2, 3);
  const Linear q(Scope(parameters) / "layer0" / "q", 2, 3, bare);
  const Norm norm(Scope(parameters) / "norm", 3);
  const Embedding token(Scope(parameters) / "token", 5, 3, Initialiser::normal(1));
  EXPECT_EQ(paths(parameters), (std::vector<std::string>{"head/weight", "head/bias", "layer0/q",
                                                         "norm/gain", "norm/bias", "token"}));
}

TEST(Layers, OfAttentionHaveFourSquareMatricesWhateverTheHeads) {
  for (const std::int64_t heads : {1, 2, 8}) {
    Parameters parameters;
    AttentionOptions options;
    options.width = 16, options.heads = heads;
    const MultiHeadAttention attention(Scope(parameters), options);
    EXPECT_EQ(parameters.count(), 4 * 16 * 16);
  }
}

TEST(Linear, StartsUniformWithinOneOverTheRootOfItsInputs) {
  Parameters parameters;
  const Linear layer(Scope(parameters) / "l", 400, 50);
  parameters.initialise(1);
  float largest = 0;
  for (const float w : parameters.buffer()) largest = std::max(largest, std::abs(w));
  EXPECT_LE(largest, 1.0F / 20);
  EXPECT_GT(largest, 0.99F / 20);
}

struct DropoutCase : testing::Test {
  Tensor apply(Mode mode, std::int64_t first_row, CheckedInput& x, double p = 0.5) {
    const Dropout layer(Scope(parameters) / "layer0", p);
    Pass pass(tape, parameters, {}, mode, Random(1, "step", 3));
    pass.set_first_row(first_row);
    return layer(tape.variable(x.shape, x.values.data(), nullptr), pass);
  }
  Parameters parameters;
  Tape tape;
};

TEST_F(DropoutCase, DropsAboutTheGivenShareAndScalesTheRest) {
  CheckedInput x = {{100, 100}, std::vector<float>(10000, 1)};
  int dropped = 0;
  for (const float y : apply(Mode::train, 0, x).values()) {
    EXPECT_TRUE(y == 0 || y == 2);
    dropped += y == 0;
  }
  EXPECT_NEAR(dropped, 5000, 200);  // four standard deviations of a binomial
}

TEST_F(DropoutCase, GivesShardsWhatTheWholeBatchWouldHave) {
  CheckedInput whole = random_input({6, 5, 4}, 1);
  CheckedInput shard = {{2, 5, 4}, {whole.values.begin() + 80, whole.values.end()}};
  const Tensor all = apply(Mode::train, 0, whole);
  const Tensor part = apply(Mode::train, 4, shard);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(part.values()[i], all.values()[80 + i]);
}

TEST_F(DropoutCase, DoesNothingInEvaluationOrAtProbabilityZero) {
  CheckedInput x = random_input({3, 4}, 1);
  EXPECT_EQ(apply(Mode::evaluate, 0, x).values()[5], x.values[5]);
  for (const float y : apply(Mode::train, 0, x, 0).values()) EXPECT_NE(y, 0);
}

struct BlockCase : testing::Test {
  BlockCase() {
    options.width = 8, options.heads = 2;
    mask.causal = true;
  }
  Parameters parameters;
  BlockOptions options;
  AttentionMask mask;
  Tape tape;
};

TEST_F(BlockCase, WithACacheGivesWhatRecomputingGives) {
  const TransformerBlock block(Scope(parameters) / "layer0", options);
  parameters.initialise(1);
  CheckedInput x = random_input({2, 7, 8}, 1);
  Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, "step"));
  const Tensor all = block(tape.constant(x.shape, x.values), mask, pass);
  KeyValueCache cache(2, 7);
  pass.cache = &cache;
  std::int64_t begin = 0;
  for (const std::int64_t n : {3, 1, 1, 2}) {
    std::vector<float> fresh;
    for (std::int64_t row = 0; row < 2; ++row) {
      const auto at = x.values.begin() + (row * 7 + begin) * 8;
      fresh.insert(fresh.end(), at, at + n * 8);
    }
    const Tensor y = block(tape.constant({2, n, 8}, fresh), mask, pass);
    cache.advance(n);
    for (std::int64_t row = 0; row < 2; ++row)
      for (std::int64_t i = 0; i < n * 8; ++i)
        EXPECT_NEAR(y.values()[static_cast<std::size_t>(row * n * 8 + i)],
                    all.values()[static_cast<std::size_t>((row * 7 + begin) * 8 + i)], 1e-5);
    begin += n;
  }
  EXPECT_EQ(thrown([&] {
              block(tape.constant({2, 1, 8}, std::vector<float>(16)), mask, pass);
            }),
            "[2] layer0/attention: 1 positions after 7 exceed the 7 that the cache has room for");
}

TEST_F(BlockCase, TapsTheAttentionWeightsByPath) {
  options.cross = true;
  const TransformerBlock block(Scope(parameters) / "layer0", options);
  parameters.initialise(1);
  std::map<std::string, Shape, std::less<>> seen;
  const Tap tap = [&](std::string_view path, const Shape& shape, std::span<const float> weights) {
    seen[std::string(path)] = shape;
    double total = 0;
    for (const float w : weights) total += w;
    EXPECT_NEAR(total, 2 * 2 * 3, 1e-5);  // each of B H N rows sums to 1
  };
  Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, "step"));
  pass.tap = &tap;
  CheckedInput x = random_input({2, 3, 8}, 1), source = random_input({2, 5, 8}, 2);
  block(tape.constant(x.shape, x.values), mask, pass, tape.constant(source.shape, source.values));
  EXPECT_EQ(seen.at("layer0/attention"), (Shape{2, 2, 3, 3}));
  EXPECT_EQ(seen.at("layer0/cross"), (Shape{2, 2, 3, 5}));
}

// REFERENCE S5: token lengths after twelve fresh layers, D = 32, H = 4, from standard normal
// tokens.
TEST(Block, PostNormKeepsTheLengthOfTokensAndPreNormLetsItGrow) {
  for (const bool post_norm : {true, false}) {
    Parameters parameters;
    BlockOptions options;
    options.width = 32, options.heads = 4;
    if (post_norm) options.order = BlockOrder::post_norm;
    std::vector<TransformerBlock> blocks;
    for (int i = 0; i < 12; ++i)
      blocks.emplace_back(Scope(parameters) / std::string("layer").append(std::to_string(i)),
                          options);
    parameters.initialise(1);
    Tape tape;
    Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, "step"));
    const CheckedInput input = random_input({4, 16, 32}, 1);
    Tensor x = tape.constant(input.shape, input.values);
    std::vector<double> lengths;
    for (const TransformerBlock& block : blocks) {
      x = block(x, {}, pass);
      double squares = 0;
      for (const float v : x.values()) squares += double{v} * v;
      lengths.push_back(std::sqrt(squares / 64));
    }
    if (post_norm) {
      for (const double length : lengths) EXPECT_NEAR(length, 5.66, 0.01);
    } else {
      EXPECT_NEAR(lengths.front(), 6.1, 0.5);
      EXPECT_NEAR(lengths.back(), 15.7, 2.5);
      for (std::size_t i = 3; i < lengths.size(); ++i) EXPECT_GT(lengths[i], lengths[i - 3]);
    }
  }
}

}  // namespace
}  // namespace assay
