// Attention and the transformer layer against PyTorch's numbers: outputs, and gradients of input
// and parameters.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/attention.h"
#include "nn/block.h"
#include "support/golden.h"

namespace assay {
namespace {

// The path of a parameter here, for its name in the golden files, and whether PyTorch keeps it
// transposed.
std::string path_of(const std::string& name) {
  static const std::map<std::string, std::string> paths = {
      {"ln1.weight", "attention_norm/gain"}, {"ln1.bias", "attention_norm/bias"},
      {"ln2.weight", "mlp_norm/gain"},       {"ln2.bias", "mlp_norm/bias"},
      {"ln3.weight", "cross_norm/gain"},     {"ln3.bias", "cross_norm/bias"},
      {"fc.weight", "mlp/expand/weight"},    {"fc.bias", "mlp/expand/bias"},
      {"proj.weight", "mlp/project/weight"}, {"proj.bias", "mlp/project/bias"}};
  if (const auto found = paths.find(name); found != paths.end()) return found->second;
  if (name.starts_with("cross.w")) return "cross/" + name.substr(7);
  if (name.starts_with("att.w")) return "attention/" + name.substr(5);
  return name.substr(1);  // wq
}

GoldenArray as_here(const std::string& name, const nlohmann::json& json) {
  const GoldenArray array = Golden::array_of(json);
  return name == "fc.weight" || name == "proj.weight" ? transposed(array) : array;
}

// One golden file: parameters in place, and the comparison of what a layer gives.
struct Case {
  explicit Case(const std::string& name) : golden(name), x(golden.array("x")) {
    if (golden.has("z")) z = golden.array("z");
    if (!golden.has("mask")) return;
    for (const float m : golden.array("mask").values) marks.push_back(m != 0);
    const bool per_row = golden.array("mask").shape.rank() == 4;  // [B, 1, 1, M]
    (per_row ? mask.keys : mask.pairs) = marks;
  }

  void load() {
    parameters.initialise(1);
    std::int32_t count = 0;
    for (const auto& [name, json] : golden.json().at("parameters").items()) {
      const ParameterId id = parameters.find(path_of(name));
      ASSERT_TRUE(id) << name;
      const GoldenArray array = as_here(name, json);
      ASSERT_EQ(parameters.info(id).shape, array.shape) << name;
      std::copy(array.values.begin(), array.values.end(), parameters.values(id).begin());
      ++count;
    }
    ASSERT_EQ(count, parameters.size());
  }

  template <class Layer>
  void check(const Layer& layer) {
    std::vector<float> gradients(parameters.buffer().size()), dx(x.values.size());
    Tape tape;
    Pass pass(tape, parameters, gradients, Mode::train, Random(1, "step"));
    const Tensor input = tape.variable(x.shape, x.values.data(), dx.data());
    const Tensor source = z.values.empty() ? input : tape.constant(z.shape, z.values);
    const Tensor y = layer(input, source, pass);
    expect_close(y.values(), golden.array("y").values, kForwardTolerance, "y");
    const GoldenArray upstream = golden.array("upstream");
    tape.backward(sum(multiply(y, tape.constant(upstream.shape, upstream.values))));
    expect_close(dx, golden.array("grad_x").values, kGradientTolerance, "grad_x");
    for (const auto& [name, json] : golden.json().at("gradients").items())
      expect_close(parameters.slice(gradients, parameters.find(path_of(name))),
                   as_here(name, json).values, kGradientTolerance, name);
  }

  Golden golden;
  GoldenArray x, z;
  std::vector<std::uint8_t> marks;
  AttentionMask mask;
  Parameters parameters;
};

class GoldenAttention : public testing::TestWithParam<const char*> {};

TEST_P(GoldenAttention, AgreesWithPyTorch) {
  Case c(GetParam());
  AttentionOptions options;
  options.width = 16, options.heads = 4;
  const MultiHeadAttention attention(Scope(c.parameters), options);
  ASSERT_NO_FATAL_FAILURE(c.load());
  c.check([&](Tensor x, Tensor source, Pass& pass) { return attention(x, source, c.mask, pass); });
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenAttention,
                         testing::Values("attention", "attention_causal", "attention_cross",
                                         "attention_padding"),
                         [](const auto& test) { return std::string(test.param); });

class GoldenLayer : public testing::TestWithParam<const char*> {};

TEST_P(GoldenLayer, AgreesWithPyTorch) {
  const std::string name = GetParam();
  Case c(name);
  BlockOptions options;
  options.width = 16, options.heads = 4;
  if (name == "layer_postnorm") options.order = BlockOrder::post_norm;
  options.cross = name == "layer_decoder_cross";
  const TransformerBlock block(Scope(c.parameters), options);
  ASSERT_NO_FATAL_FAILURE(c.load());
  c.check([&](Tensor x, Tensor source, Pass& pass) {
    return options.cross ? block(x, c.mask, pass, source) : block(x, c.mask, pass);
  });
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenLayer,
                         testing::Values("layer_prenorm", "layer_postnorm", "layer_decoder_cross"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace assay
