// Operations against PyTorch's numbers.
#include <gtest/gtest.h>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "support/golden.h"

namespace assay {
namespace {

TEST(GoldenOperation, GeluIsTheExactOneWithItsDerivative) {
  const Golden golden("gelu_erf");
  GoldenArray x = golden.array("x");
  std::vector<float> dx(x.values.size());
  Tape tape;
  const Tensor y = gelu(tape.variable(x.shape, x.values.data(), dx.data()));
  expect_close(y.values(), golden.array("y").values, kForwardTolerance);
  tape.backward(sum(y));
  expect_close(dx, golden.array("grad_x").values, kGradientTolerance);
}

TEST(GoldenOperation, LayerNorm) {
  const Golden golden("layer_norm");
  GoldenArray x = golden.array("x"), gain = golden.array("gain"), bias = golden.array("bias");
  const GoldenArray upstream = golden.array("upstream");
  std::vector<float> dx(x.values.size()), dgain(gain.values.size()), dbias(bias.values.size());
  Tape tape;
  const Tensor y = layer_norm(tape.variable(x.shape, x.values.data(), dx.data()),
                              tape.variable(gain.shape, gain.values.data(), dgain.data()),
                              tape.variable(bias.shape, bias.values.data(), dbias.data()),
                              golden.json().at("eps").get<float>());
  expect_close(y.values(), golden.array("y").values, kForwardTolerance);
  tape.backward(sum(multiply(y, tape.constant(upstream.shape, upstream.values))));
  expect_close(dx, golden.array("grad_x").values, kGradientTolerance);
  expect_close(dgain, golden.array("grad_gain").values, kGradientTolerance);
  expect_close(dbias, golden.array("grad_bias").values, kGradientTolerance);
}

TEST(GoldenOperation, CrossEntropyLeavesIgnoredTargetsOut) {
  const Golden golden("cross_entropy");
  GoldenArray logits = golden.array("logits");
  const auto targets = golden.json().at("targets").get<std::vector<std::int32_t>>();
  std::vector<float> d(logits.values.size());
  Tape tape;
  const SummedLoss loss =
      cross_entropy(tape.variable(logits.shape, logits.values.data(), d.data()), targets);
  EXPECT_EQ(loss.weight, 2);
  const double wanted = golden.json().at("plain").get<double>();
  EXPECT_NEAR(loss.sum.values()[0] / loss.weight, wanted, kForwardTolerance * wanted);
  tape.backward(loss.sum);
  for (std::size_t i = 6; i < 9; ++i) EXPECT_EQ(d[i], 0) << "the row whose target is ignored";
}

TEST(GoldenOperation, CrossEntropyWithLabelSmoothing) {
  const Golden golden("label_smoothing");
  GoldenArray logits = golden.array("logits");
  const auto targets = golden.json().at("targets").get<std::vector<std::int32_t>>();
  std::vector<float> d(logits.values.size());
  Tape tape;
  const SummedLoss loss = cross_entropy(tape.variable(logits.shape, logits.values.data(), d.data()),
                                        targets, {}, golden.json().at("smoothing").get<float>());
  const double wanted = golden.json().at("loss").get<double>();
  EXPECT_NEAR(loss.sum.values()[0], wanted, kForwardTolerance * wanted);
  tape.backward(loss.sum);
  expect_close(d, golden.array("grad_logits").values, kGradientTolerance);
}

}  // namespace
}  // namespace assay
