// The transformer layer (Vaswani et al., 2017): attention, optional cross-attention, and an MLP,
// each in a residual branch.
#pragma once

#include <cstdint>

#include "nn/attention.h"
#include "nn/experts.h"
#include "nn/mlp.h"

namespace assay {

/// pre_norm: a norm before each branch (Xiong et al., 2020); post_norm: after each sum; parallel:
/// one norm before attention and MLP, which do not see each other (Chowdhery et al., 2022, "PaLM").
enum class BlockOrder { pre_norm, post_norm, parallel };

struct BlockOptions {
  std::int64_t width = 0, heads = 1;
  bool attention_bias = false;
  double dropout = 0;
  BlockOrder order = BlockOrder::pre_norm;
  bool cross = false;  // cross-attention between self-attention and MLP
  NormKind norm = NormKind::layer;
  std::int64_t key_heads = 0, window = 0;  // as AttentionOptions has them
  bool qk_norm = false;
  MlpUnit mlp = MlpUnit::gelu;
  std::int64_t mlp_width = 0;  // as MlpOptions has it
  bool mlp_bias = true;
  ExpertOptions experts;  // in place of the one MLP
};

class ASSAY_API TransformerBlock {
 public:
  TransformerBlock() = default;
  /// REQUIRES cross without order parallel.
  TransformerBlock(const Scope& scope, const BlockOptions& options);

  /// x [B, N, D] -> [B, N, D]. source [B, M, D] with its mask: for cross-attention only.
  Tensor operator()(Tensor x, const AttentionMask& mask, Pass& pass, Tensor source = {},
                    const AttentionMask& source_mask = {},
                    const AttentionPositions& positions = {}) const;
  /// The same at the last position alone, [B, 1, D], or, where the cache of the pass wants none,
  /// what is left of it. Of the others it needs only what attention sees. REQUIRES that mask.keys
  /// is empty.
  Tensor last(Tensor x, const AttentionMask& mask, Pass& pass, Tensor source,
              const AttentionMask& source_mask, const AttentionPositions& positions) const;

 private:
  template <class Attend>
  Tensor branches(Tensor x, const AttentionMask& mask, Pass& pass, Tensor source,
                  const AttentionMask& source_mask, const Attend& attend) const;
  Tensor add_mlp(Tensor residual, Tensor x, const AttentionMask& mask, Pass& pass) const;
  BlockOrder order_ = BlockOrder::pre_norm;
  bool cross_attends_ = false;
  Norm attention_norm_, cross_norm_, mlp_norm_;
  MultiHeadAttention attention_, cross_;
  bool routes_ = false;
  Mlp mlp_;
  Experts experts_;
};

}  // namespace assay
