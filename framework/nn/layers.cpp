#include "nn/layers.h"

#include <cmath>

namespace assay {

Linear::Linear(const Scope& scope, std::int64_t inputs, std::int64_t outputs,
               const LinearOptions& o) {
  const Initialiser standard =
      Initialiser::uniform(1.0 / std::sqrt(static_cast<double>(std::max<std::int64_t>(inputs, 1))));
  weight_ = scope.add(o.bias ? "weight" : "", {inputs, outputs}, o.weight.value_or(standard));
  if (o.bias) bias_ = scope.add("bias", {outputs}, o.bias_start.value_or(standard));
}

Tensor Linear::operator()(Tensor x, Pass& pass) const {
  return linear(x, pass.parameter(weight_), bias(pass));
}

Tensor Linear::gelu(Tensor x, Pass& pass) const {
  return linear_gelu(x, pass.parameter(weight_), bias(pass));
}

Tensor Linear::add_to(Tensor residual, Tensor x, Pass& pass) const {
  return linear_add(residual, x, pass.parameter(weight_), bias(pass));
}

Tensor Linear::bias(Pass& pass) const {
  return bias_ ? pass.parameter(bias_) : Tensor();
}

LayerNorm::LayerNorm(const Scope& scope, std::int64_t width, float epsilon)
    : gain_(scope.add("gain", {width}, Initialiser::constant(1))),
      bias_(scope.add("bias", {width}, Initialiser::constant(0))),
      epsilon_(epsilon) {}

Tensor LayerNorm::operator()(Tensor x, Pass& pass) const {
  return layer_norm(x, pass.parameter(gain_), pass.parameter(bias_), epsilon_);
}

Embedding::Embedding(const Scope& scope, std::int64_t rows, std::int64_t width,
                     const Initialiser& init)
    : weight_(scope.add("", {rows, width}, init)) {}

Tensor Embedding::operator()(std::span<const std::int32_t> ids, const Shape& leading,
                             Pass& pass) const {
  return embedding(pass.parameter(weight_), ids, leading);
}

Dropout::Dropout(const Scope& scope, double probability)
    : purpose_(scope.path("dropout")), probability_(static_cast<float>(probability)) {}

Tensor Dropout::operator()(Tensor x, Pass& pass) const {
  if (!active(pass)) return x;
  const std::int64_t per_row = x.elements() / x.shape()[0];
  return dropout(x, probability_, pass.random().with(purpose_),
                 static_cast<std::uint64_t>(pass.first_row() * per_row));
}

}  // namespace assay
