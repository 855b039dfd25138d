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

/// What is added to the scaled scores of a head by the distance i + (M - N) - j from key to query:
/// [H][2 reach], that of distance d at place reach + d. Null: nothing.
struct AttentionBias {
  const float* values = nullptr;
  std::int64_t reach = 0;
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
  HeadRows q, k, v;                         // [B, N, D], [B, M, D / sharing] twice
  std::int64_t sharing = 1;                 // so many heads of queries use one of keys and values
  // Not 0: query i, which stands at position i + (M - N), may use keys at positions less than
  // `window` from its own.
  std::int64_t window = 0;
  AttentionBias bias;
};

/// `reach` of a bias: enough for every distance, and for the lanes past the last query.
constexpr std::int64_t attention_reach(std::int64_t queries, std::int64_t keys) {
  return (queries > keys ? queries : keys) + 64;
}

/// out [B, N, D] is overwritten. log_sum_exp [B, H, N] of the scaled scores, or null if there is no
/// backward pass. weights [B, H, N, M] receives the softmax, or null.
ASSAY_API void attention_forward(const Attention& problem, const HeadRowsInto& out,
                                 float* log_sum_exp, float* weights, Workspace& workspace);

/// What forward gave, and d(loss)/d(out).
struct AttentionResult {
  HeadRows out, dout;
  const float* log_sum_exp = nullptr;
};
/// Recomputes the weights block by block. Any of dq, dk, dv may be null. dk and dv are those of
/// each head of queries, [B, M, D], whatever the sharing. dbias, laid out like the bias, is added
/// to; null: not wanted.
ASSAY_API void attention_backward(const Attention& problem, const AttentionResult& result,
                                  const HeadRowsInto& dq, const HeadRowsInto& dk,
                                  const HeadRowsInto& dv, Workspace& workspace,
                                  float* dbias = nullptr);
/// out [rows, D / sharing] = the sums over the heads that share: of wide [rows, D], in heads of
/// `width`.
ASSAY_API void fold_shared_heads(std::int64_t rows, std::int64_t heads, std::int64_t sharing,
                                 std::int64_t width, const float* wide, Into out);

}  // namespace assay
