// The transformer layer (Vaswani et al., 2017; pre-norm: Xiong et al., 2020): attention, optional
// cross-attention, and an MLP D -> 4D -> D with GELU, each in a residual branch with a layer norm
// before it (pre) or after the sum (post).
#pragma once

#include <cstdint>

#include "nn/attention.h"

namespace assay {

struct BlockOptions {
  std::int64_t width = 0, heads = 1;
  bool attention_bias = false;
  double dropout = 0;
  bool post_norm = false;
  bool cross = false;  // cross-attention between self-attention and MLP
};

class ASSAY_API TransformerBlock {
 public:
  TransformerBlock() = default;
  TransformerBlock(const Scope& scope, const BlockOptions& options);

  /// x [B, N, D] -> [B, N, D]. source [B, M, D] with its mask: for cross-attention only.
  Tensor operator()(Tensor x, const AttentionMask& mask, Pass& pass, Tensor source = {},
                    const AttentionMask& source_mask = {}) const;

 private:
  Tensor add_mlp(Tensor residual, Tensor x, Pass& pass) const;
  bool post_norm_ = false, cross_attends_ = false;
  LayerNorm attention_norm_, cross_norm_, mlp_norm_;
  MultiHeadAttention attention_, cross_;
  Linear expand_, project_;
  Dropout dropout_;
};

}  // namespace assay
