// Multi-head attention (Vaswani et al., 2017, section 3.2.2): four maps of D x D, whatever the
// number of heads.
#pragma once

#include <cstdint>
#include <string>

#include "nn/layers.h"

namespace assay {

struct AttentionOptions {
  std::int64_t width = 0, heads = 1;
  bool bias = false;
  double dropout = 0;  // of the output, before it joins the residual stream
};

class ASSAY_API MultiHeadAttention {
 public:
  MultiHeadAttention() = default;
  /// Parameters q, k, v, o under scope, each N(0, 1/sqrt(width)). REQUIRES width % heads == 0.
  MultiHeadAttention(const Scope& scope, const AttentionOptions& options);

  /// residual + attention(x, source): queries from x [B, N, D], keys and values from source [B, M,
  /// D]. With a cache in the pass, self-attention sees the cached positions before its own.
  Tensor add_to(Tensor residual, Tensor x, Tensor source, const AttentionMask& mask,
                Pass& pass) const;
  /// Without residual.
  Tensor operator()(Tensor x, Tensor source, const AttentionMask& mask, Pass& pass) const;

 private:
  Tensor heads_output(Tensor x, Tensor source, const AttentionMask& mask, Pass& pass) const;
  std::int64_t heads_ = 1;
  std::string path_;
  Linear q_, k_, v_, o_;
  Dropout dropout_;
};

}  // namespace assay
