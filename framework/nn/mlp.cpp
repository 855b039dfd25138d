#include "nn/mlp.h"

namespace assay {
namespace {

bool has_gate(MlpUnit unit) {
  return unit == MlpUnit::swiglu || unit == MlpUnit::geglu;
}

// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
Tensor gelu_by_tanh(Tensor x) {
  const Tensor cube = multiply(x, multiply(x, x));
  const Tensor inner = scale(add(x, scale(cube, 0.044715F)), 0.797884560802865F);
  return scale(add(x, multiply(x, tanh(inner))), 0.5F);
}

std::int64_t hidden_width(const MlpOptions& o) {
  if (o.hidden > 0) return o.hidden;
  return has_gate(o.unit) ? (8 * o.width + 23) / 24 * 8 : 4 * o.width;
}

}  // namespace

Mlp::Mlp(const Scope& scope, const MlpOptions& o) : unit_(o.unit), dropout_(scope, o.dropout) {
  LinearOptions linear;
  linear.bias = o.bias;
  const std::int64_t hidden = hidden_width(o);
  expand_ = Linear(scope / "expand", o.width, hidden, linear);
  if (has_gate(unit_)) gate_ = Linear(scope / "gate", o.width, hidden, linear);
  project_ = Linear(scope / "project", hidden, o.width, linear);
}

Tensor Mlp::hidden(Tensor x, Pass& pass) const {
  switch (unit_) {
    case MlpUnit::gelu:
      return expand_.gelu(x, pass);
    case MlpUnit::gelu_tanh:
      return gelu_by_tanh(expand_(x, pass));
    case MlpUnit::relu:
      return relu(expand_(x, pass));
    case MlpUnit::swiglu:
      return multiply(silu(gate_(x, pass)), expand_(x, pass));
    case MlpUnit::geglu:
      return multiply(gate_.gelu(x, pass), expand_(x, pass));
  }
  return {};
}

Tensor Mlp::operator()(Tensor x, Pass& pass) const {
  return dropout_(project_(hidden(x, pass), pass), pass);
}

Tensor Mlp::add_to(Tensor residual, Tensor x, Pass& pass) const {
  if (dropout_.active(pass)) return add(residual, (*this)(x, pass));
  return project_.add_to(residual, hidden(x, pass), pass);
}

}  // namespace assay
