// Scaled dot-product attention (Vaswani et al., 2017, "Attention is all you need", eq. 1), all
// heads at once, in blocks of keys with a running maximum (Dao et al., 2022, "FlashAttention"):
// memory O(N), never N x N.
#pragma once

#include <cstdint>
#include <span>

#include "base/api.h"
#include "tensor/tensor.h"

namespace assay {

/// Which keys a query may use. Forbidden weights are exactly 0, whatever the values there (even
/// NaN); a query with no allowed key gives 0 and finite gradients.
struct AttentionMask {
  /// Query i of N may use keys j <= i + (M - N): the last query sees all M keys.
  bool causal = false;
  /// [B, M], 1 = a real key, 0 = padding; or empty.
  std::span<const std::uint8_t> keys = {};
  /// [N, M], 1 = allowed, for any other pattern; or empty.
  std::span<const std::uint8_t> pairs = {};
  /// Not 0: query i, which stands at i + (M - N), may use keys less than so far from its place.
  std::int64_t window = 0;
};

/// What is added to the scores of each head by the distance i + (M - N) - j from key j to query i
/// (Shaw et al., 2018; Press et al., 2022): values [H, E], element e for distance first + e. Beyond
/// the ends of a row its last element counts.
struct DistanceBias {
  Tensor values;
  std::int64_t first = 0;
};

/// q [B, N, D] in heads of W = D / heads; k and v [B, M, G W], where G divides heads: each of their
/// heads serves heads / G of the queries' (Ainslie et al., 2023). Gives [B, N, D], before the
/// output projection. Scores are divided by sqrt(W). weights, if not empty, receives [B, H, N, M].
ASSAY_API Tensor attention(Tensor q, Tensor k, Tensor v, std::int64_t heads,
                           const AttentionMask& mask = {}, std::span<float> weights = {},
                           const DistanceBias& bias = {});

/// Keys and values that were computed before, of B rows: [B, capacity, width], of which `length`
/// positions are filled.
struct CachedKeys {
  const float* keys = nullptr;
  const float* values = nullptr;
  std::int64_t capacity = 0, length = 0, width = 0;
};
/// The same over cached keys, M = length; forward only.
ASSAY_API Tensor cached_attention(Tensor q, const CachedKeys& cached, std::int64_t heads,
                                  const AttentionMask& mask = {}, std::span<float> weights = {},
                                  const DistanceBias& bias = {});

}  // namespace assay
