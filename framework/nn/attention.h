// Multi-head attention (Vaswani et al., 2017, section 3.2.2): four maps of D x D, whatever the
// number of heads; those of keys and values are smaller where heads share them (Ainslie et al.,
// 2023, "grouped-query attention").
#pragma once

#include <cstdint>
#include <string>

#include "nn/layers.h"
#include "nn/positions.h"

namespace assay {

struct AttentionOptions {
  std::int64_t width = 0, heads = 1;
  bool bias = false;
  double dropout = 0;          // of the output, before it joins the residual stream
  std::int64_t key_heads = 0;  // heads of keys and values; 0: as many as heads
  std::int64_t window = 0;     // self-attention sees only so many positions back; 0: all
  // RMS norm of each head's queries and keys (Henry et al., 2020, "Query-key normalization").
  bool qk_norm = false;
};

class ASSAY_API MultiHeadAttention {
 public:
  MultiHeadAttention() = default;
  /// Parameters q, k, v, o under scope, each N(0, 1/sqrt(width)). REQUIRES width % heads == 0 and
  /// heads % key_heads == 0.
  MultiHeadAttention(const Scope& scope, const AttentionOptions& options);

  /// residual + attention(x, source): queries from x [B, N, D], keys and values from source [B, M,
  /// D]. Where source is x (self-attention), positions count, and with a cache in the pass the
  /// cached positions are seen before its own. Another source is looked at once with a cache: it
  /// may be empty from the second pass on.
  Tensor add_to(Tensor residual, Tensor x, Tensor source, const AttentionMask& mask, Pass& pass,
                const AttentionPositions& positions = {}) const;
  /// The same for the last position of x alone, with its residual [B, 1, D].
  Tensor add_last_to(Tensor residual, Tensor x, const AttentionMask& mask, Pass& pass,
                     const AttentionPositions& positions = {}) const;
  /// Nothing but x in the cache of the pass, for the positions that come.
  void remember(Tensor x, Pass& pass, const AttentionPositions& positions = {}) const;
  /// Without residual.
  Tensor operator()(Tensor x, Tensor source, const AttentionMask& mask, Pass& pass,
                    const AttentionPositions& positions = {}) const;

 private:
  struct Seen;
  Tensor heads_output(Tensor x, Tensor source, bool own, const AttentionMask& mask, Pass& pass,
                      const AttentionPositions& positions) const;
  Seen self_seen(Tensor x, Pass& pass, const RotaryTable* rotary) const;
  Seen source_seen(Tensor source, Pass& pass) const;
  Tensor normalised(Tensor x, std::int64_t heads, const Norm& norm, Pass& pass) const;
  std::int64_t heads_ = 1, key_heads_ = 1, window_ = 0;
  bool qk_norm_ = false;
  std::string path_;
  Linear q_, k_, v_, o_;
  Norm q_norm_, k_norm_;
  Dropout dropout_;
};

}  // namespace assay
