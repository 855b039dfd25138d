// Scaled dot-product attention, all heads at once (Vaswani et al., 2017, eq. 1), over blocks of
// keys with a running maximum (Dao et al., 2022, "FlashAttention"). Memory beyond inputs and
// outputs: log_sum_exp, O(B H N).
//
// Forbidden weights are exactly 0, whatever stands at the keys and values there (even NaN). A query
// with no allowed key gives 0, its log_sum_exp is -infinity, and its gradients are 0. Work above a
// fixed size is spread with parallel_for; the result depends on neither threads nor the rest of the
// batch.
#pragma once

#include <cstdint>

#include "base/api.h"
#include "tensor/kernels/into.h"
#include "tensor/kernels/workspace.h"

namespace assay {

/// Element (b, n, h, w) of [B, N, H, W] stands at data[b batch_stride + n row_stride + h W + w].
struct HeadRows {
  const float* data = nullptr;
  std::int64_t row_stride = 0, batch_stride = 0;
};
/// The same, to be written.
struct HeadRowsInto {
  Into into;
  std::int64_t row_stride = 0, batch_stride = 0;
};

struct Attention {
  std::int64_t batch = 0;                   // B
  std::int64_t queries = 0;                 // N
  std::int64_t keys = 0;                    // M
  std::int64_t heads = 0;                   // H
  std::int64_t head_width = 0;              // W = D / H
  float scale = 1;                          // of the scores: 1 / sqrt(W)
  bool causal = false;                      // query i may use keys j <= i + (M - N)
  const std::uint8_t* key_mask = nullptr;   // [B, M], 1 = real, 0 = padding; or null
  const std::uint8_t* pair_mask = nullptr;  // [N, M], 1 = allowed; or null
  HeadRows q, k, v;                         // [B, N, D], [B, M, D], [B, M, D]
};

/// out [B, N, D] is overwritten. log_sum_exp [B, H, N] of the scaled scores, or null if there is no
/// backward pass. weights [B, H, N, M] receives the softmax, or null.
ASSAY_API void attention_forward(const Attention& problem, const HeadRowsInto& out,
                                 float* log_sum_exp, float* weights, Workspace& workspace);

/// What forward gave, and d(loss)/d(out).
struct AttentionResult {
  HeadRows out, dout;
  const float* log_sum_exp = nullptr;
};
/// Recomputes the weights block by block. Any of dq, dk, dv may be null.
ASSAY_API void attention_backward(const Attention& problem, const AttentionResult& result,
                                  const HeadRowsInto& dq, const HeadRowsInto& dk,
                                  const HeadRowsInto& dv, Workspace& workspace);

}  // namespace assay
