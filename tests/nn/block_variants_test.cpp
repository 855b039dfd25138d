// The options of the transformer layer against PyTorch's numbers (golden/make_block_variants.py).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nn/block.h"
#include "support/golden.h"

namespace assay {
namespace {

struct Variant {
  BlockOptions block;
  PositionKind positions = PositionKind::none;
  bool causal = true;
};

Variant variant(const std::string& name) {
  Variant v;
  BlockOptions& b = v.block;
  b.width = 8, b.heads = 4;
  if (name == "llama") {
    b.norm = NormKind::rms, b.mlp = MlpUnit::swiglu, b.mlp_bias = false;
    b.key_heads = 2, b.qk_norm = true;
    v.positions = PositionKind::rotary;
  } else if (name == "parallel_alibi") {
    b.order = BlockOrder::parallel, b.mlp = MlpUnit::geglu, b.attention_bias = true;
    v.positions = PositionKind::alibi;
  } else if (name == "post_norm_relative_window") {
    b.order = BlockOrder::post_norm, b.norm = NormKind::rms, b.mlp = MlpUnit::relu;
    b.window = 3, b.key_heads = 1;
    v.positions = PositionKind::relative;
  } else if (name == "switch") {
    b.experts = {4, 1, 0.5};
    v.positions = PositionKind::none;
  } else if (name == "two_experts_each") {
    b.order = BlockOrder::parallel, b.norm = NormKind::rms, b.mlp = MlpUnit::swiglu;
    b.experts = {3, 2, 0.5}, b.mlp_bias = false;
    v.positions = PositionKind::rotary;
  } else {
    b.window = 3, b.attention_bias = true, b.mlp_bias = false;
    v.positions = PositionKind::relative;
    v.causal = false;
  }
  return v;
}

class BlockVariant : public testing::TestWithParam<const char*> {};

TEST_P(BlockVariant, AgreesWithPyTorch) {
  const Golden file("block_variants");
  nlohmann::json golden;
  for (const auto& one : file.json())
    if (one.at("name") == GetParam()) golden = one;
  ASSERT_FALSE(golden.is_null());
  const Variant v = variant(GetParam());
  Parameters parameters;
  const Scope scope(parameters);
  PositionOptions options;
  options.kind = v.positions, options.context = 6;
  options.width = 8, options.heads = 4, options.causal = v.causal;
  const Positions positions(scope / "position", options);
  const TransformerBlock block(scope, v.block);
  parameters.initialise(1);
  ASSERT_EQ(static_cast<std::size_t>(parameters.size()), golden.at("parameters").size());
  for (const auto& [path, json] : golden.at("parameters").items()) {
    const ParameterId id = parameters.find(path);
    ASSERT_TRUE(id) << path;
    const GoldenArray array = Golden::array_of(json);
    ASSERT_EQ(parameters.info(id).shape, array.shape) << path;
    std::copy(array.values.begin(), array.values.end(), parameters.values(id).begin());
  }

  AttentionMask mask;
  mask.causal = v.causal;
  std::vector<std::uint8_t> keys;
  if (!golden.at("keys").is_null())
    for (const auto& row : golden.at("keys"))
      for (const auto& mark : row) keys.push_back(mark.get<std::uint8_t>());
  mask.keys = keys;
  GoldenArray x = Golden::array_of(golden.at("x"));
  const GoldenArray upstream = Golden::array_of(golden.at("upstream"));
  std::vector<float> gradients(parameters.buffer().size()), dx(x.values.size());
  Tape tape;
  Pass pass(tape, parameters, gradients, Mode::train, Random(1, "step"));
  const Tensor input = tape.variable(x.shape, x.values.data(), dx.data());
  const Tensor y = block(input, mask, pass, {}, {}, positions.for_attention(pass));
  expect_close(y.values(), Golden::array_of(golden.at("y")).values, kForwardTolerance, "y");
  const Tensor loss = sum(multiply(y, tape.constant(upstream.shape, upstream.values)));
  tape.backward(pass.penalty() ? add(loss, pass.penalty()) : loss);
  expect_close(dx, Golden::array_of(golden.at("grad_x")).values, kGradientTolerance, "grad_x");
  for (const auto& [path, json] : golden.at("gradients").items()) {
    const auto gradient = parameters.slice(gradients, parameters.find(path));
    if (path == "attention/k/bias") {  // softmax does not see it: what there is is rounding
      for (const float g : gradient) EXPECT_NEAR(g, 0, 1e-5);
      continue;
    }
    expect_close(gradient, Golden::array_of(json).values, kGradientTolerance, path);
  }
}

INSTANTIATE_TEST_SUITE_P(Options, BlockVariant,
                         testing::Values("llama", "parallel_alibi", "post_norm_relative_window",
                                         "both_ways", "switch", "two_experts_each"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace assay
