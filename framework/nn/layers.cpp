#include "nn/layers.h"

#include <cmath>

namespace assay {

Linear::Linear(const Scope& scope, std::int64_t inputs, std::int64_t outputs,
               const LinearOptions& o)
    : outputs_(outputs) {
  const Initialiser standard =
      Initialiser::uniform(1.0 / std::sqrt(static_cast<double>(std::max<std::int64_t>(inputs, 1))));
  weight_ = scope.add(o.bias ? "weight" : "", {inputs, outputs}, o.weight.value_or(standard));
  if (o.bias) bias_ = scope.add("bias", {outputs}, o.bias_start.value_or(standard));
  const AdapterOptions adapters = scope.adapters();
  if (adapters.rank == 0) return;
  const double unit = 1.0 / std::sqrt(static_cast<double>(inputs));
  adapter_in_ = scope.add("lora_a", {inputs, adapters.rank}, Initialiser::normal(unit));
  adapter_out_ = scope.add("lora_b", {adapters.rank, outputs}, Initialiser::constant(0));
  adapter_scale_ = static_cast<float>(adapters.scale);
}

// y + x A B scale
Tensor Linear::adapted(Tensor y, Tensor x, Pass& pass) const {
  if (!adapter_in_) return y;
  Tensor low = linear(x, pass.parameter(adapter_in_));  // [..., rank]
  if (adapter_scale_ != 1) low = scale(low, adapter_scale_);
  return linear_add(y, low, pass.parameter(adapter_out_));
}

Tensor Linear::operator()(Tensor x, Pass& pass) const {
  return adapted(linear(x, pass.parameter(weight_), bias(pass)), x, pass);
}

Tensor Linear::gelu(Tensor x, Pass& pass) const {
  if (adapter_in_) return assay::gelu((*this)(x, pass));
  return linear_gelu(x, pass.parameter(weight_), bias(pass));
}

Tensor Linear::add_to(Tensor residual, Tensor x, Pass& pass) const {
  return adapted(linear_add(residual, x, pass.parameter(weight_), bias(pass)), x, pass);
}

Tensor Linear::bias(Pass& pass) const {
  return bias_ ? pass.parameter(bias_) : Tensor();
}

Norm::Norm(const Scope& scope, std::int64_t width, NormKind kind, float epsilon)
    : epsilon_(epsilon) {
  const bool bias = kind == NormKind::layer;
  gain_ = scope.add(bias ? "gain" : "", {width}, Initialiser::constant(1));
  if (bias) bias_ = scope.add("bias", {width}, Initialiser::constant(0));
}

Tensor Norm::operator()(Tensor x, Pass& pass) const {
  if (!bias_) return rms_norm(x, pass.parameter(gain_), epsilon_);
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
