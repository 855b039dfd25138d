// The part of a transformer layer that treats each position alone: D -> hidden -> D.
#pragma once

#include <cstdint>

#include "nn/layers.h"

namespace assay {

/// Between the two maps: the exact GELU (Hendrycks and Gimpel, 2016) or its approximation by tanh,
/// which GPT-2 has, ReLU, or a gate beside the first map (Shazeer, 2020): silu(x V) x W or
/// gelu(x V) x W.
enum class MlpUnit { gelu, gelu_tanh, relu, swiglu, geglu };

struct MlpOptions {
  std::int64_t width = 0;
  std::int64_t hidden = 0;  // 0: 4 D; with a gate 8/3 D, up to a multiple of 8: as many parameters
  MlpUnit unit = MlpUnit::gelu;
  bool bias = true;
  double dropout = 0;  // of the output, before it joins the residual stream
};

class ASSAY_API Mlp {
 public:
  Mlp() = default;
  /// Parameters expand, project and, with a gate, gate under scope.
  Mlp(const Scope& scope, const MlpOptions& options);

  Tensor operator()(Tensor x, Pass& pass) const;  // [..., D] -> [..., D]
  /// residual + MLP(x): x [B, N, D].
  Tensor add_to(Tensor residual, Tensor x, Pass& pass) const;

 private:
  Tensor hidden(Tensor x, Pass& pass) const;
  MlpUnit unit_ = MlpUnit::gelu;
  Linear expand_, gate_, project_;
  Dropout dropout_;
};

}  // namespace assay
