// Layers are values that own parameter ids and are called with a pass.
//
//   Linear head(scope / "head", width, vocabulary);
//   Tensor logits = head(x, pass);      // [B, N, D] -> [B, N, K]
//
// Calling is const and re-entrant: many shards call the same layer at once. A layer's only
// parameter stands at the path of its scope ("layer0/attention/q"); several stand under it
// ("head/weight", "head/bias").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "autograd/ops.h"
#include "base/api.h"
#include "nn/parameters.h"
#include "nn/pass.h"

namespace assay {

struct LinearOptions {
  bool bias = true;
  /// Default of both: uniform in +-1/sqrt(inputs), as PyTorch's Linear.
  std::optional<Initialiser> weight = std::nullopt, bias_start = std::nullopt;
};

class ASSAY_API Linear {
 public:
  Linear() = default;
  Linear(const Scope& scope, std::int64_t inputs, std::int64_t outputs,
         const LinearOptions& o = {});
  Tensor operator()(Tensor x, Pass& pass) const;               // [..., I] -> [..., O]
  Tensor gelu(Tensor x, Pass& pass) const;                     // gelu of the same
  Tensor add_to(Tensor residual, Tensor x, Pass& pass) const;  // residual + the same
  std::int64_t outputs() const { return outputs_; }

 private:
  Tensor bias(Pass& pass) const;
  Tensor adapted(Tensor y, Tensor x, Pass& pass) const;
  std::int64_t outputs_ = 0;
  ParameterId weight_, bias_;             // [I, O], [O] or none
  ParameterId adapter_in_, adapter_out_;  // [I, rank], [rank, O] or none
  float adapter_scale_ = 1;
};

/// layer: Ba, Kiros and Hinton, 2016; rms: without mean and bias (Zhang and Sennrich, 2019).
enum class NormKind { layer, rms };

class ASSAY_API Norm {
 public:
  Norm() = default;
  Norm(const Scope& scope, std::int64_t width, NormKind kind = NormKind::layer,
       float epsilon = 1e-5F);
  Tensor operator()(Tensor x, Pass& pass) const;  // [..., D] -> [..., D]

 private:
  ParameterId gain_, bias_;  // bias: of a layer norm
  float epsilon_ = 1e-5F;
};

class ASSAY_API Embedding {
 public:
  Embedding() = default;
  Embedding(const Scope& scope, std::int64_t rows, std::int64_t width, const Initialiser& init);
  /// ids with their leading shape [B, N] -> [B, N, D].
  Tensor operator()(std::span<const std::int32_t> ids, const Shape& leading, Pass& pass) const;
  ParameterId weight() const { return weight_; }  // [rows, width]

 private:
  ParameterId weight_;
};

/// Dropout with a stream of its own.
class ASSAY_API Dropout {
 public:
  Dropout() = default;
  Dropout(const Scope& scope, double probability);
  Tensor operator()(Tensor x, Pass& pass) const;  // x [B, ...]; as it is unless active
  /// Training, with a probability above 0.
  bool active(const Pass& pass) const { return pass.training() && probability_ > 0; }

 private:
  std::string purpose_;
  float probability_ = 0;
};

}  // namespace assay
