// The three products that attention is made of, on one tile: a block of keys against two vectors of
// queries. Queries stand in the lanes, so that softmax needs no sums across lanes, any head width
// fills them, and causality costs only the last vector of keys. Scores and weights are kept as
// [key][kTile].
#if defined(ASSAY_TENSOR_KERNELS_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_TENSOR_KERNELS_ATTENTION_INL_H_
#undef ASSAY_TENSOR_KERNELS_ATTENTION_INL_H_
#else
#define ASSAY_TENSOR_KERNELS_ATTENTION_INL_H_
#endif

#include "tensor/kernels/attention_head.h"
#include "tensor/kernels/simd-inl.h"
#include "tensor/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

constexpr std::size_t kTile = 2 * kLanes;  // queries
constexpr std::size_t kKeyBlock = 64;
// Rows of a register tile of one or two vectors: half of the registers hold sums.
constexpr std::size_t kTileRows = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON ? 8 : 4;

/// s[j][query] = sum over w of k[j][w] qt[w][query], for kRows keys.
template <std::size_t kRows, std::size_t kVectors>
HWY_INLINE void score_rows(const float* HWY_RESTRICT qt, std::size_t width, Rows k,
                           float* HWY_RESTRICT s) {
  V sum[kRows][kVectors];
  ASSAY_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    ASSAY_UNROLL
    for (std::size_t c = 0; c < kVectors; ++c) sum[r][c] = zero();
  }
  for (std::size_t w = 0; w < width; ++w) {
    V q[kVectors];
    ASSAY_UNROLL
    for (std::size_t c = 0; c < kVectors; ++c) q[c] = load(qt + w * kTile + c * kLanes);
    ASSAY_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const V x = set(k.row(r)[w]);
      ASSAY_UNROLL
      for (std::size_t c = 0; c < kVectors; ++c) sum[r][c] = hn::MulAdd(x, q[c], sum[r][c]);
    }
  }
  ASSAY_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    ASSAY_UNROLL
    for (std::size_t c = 0; c < kVectors; ++c) store(sum[r][c], s + r * kTile + c * kLanes);
  }
}

template <std::size_t kVectors>
ASSAY_OUTLINED void score_block(const float* qt, std::size_t width, Rows k, std::size_t keys,
                                float* s) {
  std::size_t j = 0;
  for (; j + kTileRows <= keys; j += kTileRows)
    score_rows<kTileRows, kVectors>(qt, width, {k.row(j), k.stride}, s + j * kTile);
  for (; j < keys; ++j) score_rows<1, kVectors>(qt, width, {k.row(j), k.stride}, s + j * kTile);
}

/// How many vectors of a tile are in use, and how many keys of a block each of them sees: the
/// second no fewer.
struct Extent {
  std::size_t vectors;
  std::size_t keys[2];
};

/// s = k q for all that the vectors see.
HWY_INLINE void scores(const float* qt, std::size_t width, Rows k, Extent e, float* s) {
  if (e.vectors == 1) return score_block<1>(qt, width, k, e.keys[0], s);
  score_block<2>(qt, width, k, e.keys[0], s);
  score_block<1>(qt + kLanes, width, {k.row(e.keys[0]), k.stride}, e.keys[1] - e.keys[0],
                 s + e.keys[0] * kTile + kLanes);
}

/// acc[w][query] += sum over keys j of v[j][w] p[j][query], for kRows columns of v. kGuarded: terms
/// of weight 0 are left out.
template <std::size_t kRows, bool kGuarded>
HWY_INLINE void mix_rows(const float* HWY_RESTRICT p, Rows v, Extent e, float* HWY_RESTRICT acc) {
  V first[kRows], last[kRows];
  const bool two = e.vectors == 2;
  ASSAY_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    first[r] = load(acc + r * kTile);
    last[r] = two ? load(acc + r * kTile + kLanes) : zero();
  }
  const auto step = [](V& sum, V x, V weight) ASSAY_INLINE_BODY {
    const V next = hn::MulAdd(x, weight, sum);
    sum = kGuarded ? hn::IfThenElse(hn::Eq(weight, zero()), sum, next) : next;
  };
  std::size_t j = 0;
  if (two) {
    for (; j < e.keys[0]; ++j) {
      const V p0 = load(p + j * kTile), p1 = load(p + j * kTile + kLanes);
      ASSAY_UNROLL
      for (std::size_t r = 0; r < kRows; ++r) {
        const V x = set(v.row(j)[r]);
        step(first[r], x, p0);
        step(last[r], x, p1);
      }
    }
    for (; j < e.keys[1]; ++j) {
      const V p1 = load(p + j * kTile + kLanes);
      ASSAY_UNROLL
      for (std::size_t r = 0; r < kRows; ++r) step(last[r], set(v.row(j)[r]), p1);
    }
  } else {
    for (; j < e.keys[0]; ++j) {
      const V p0 = load(p + j * kTile);
      ASSAY_UNROLL
      for (std::size_t r = 0; r < kRows; ++r) step(first[r], set(v.row(j)[r]), p0);
    }
  }
  ASSAY_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    store(first[r], acc + r * kTile);
    if (two) store(last[r], acc + r * kTile + kLanes);
  }
}

template <bool kGuarded>
ASSAY_OUTLINED void mix_all(const float* p, Rows v, std::size_t width, Extent e, float* acc) {
  std::size_t w = 0;
  for (; w + kTileRows <= width; w += kTileRows)
    mix_rows<kTileRows, kGuarded>(p, {v.data + w, v.stride}, e, acc + w * kTile);
  for (; w < width; ++w) mix_rows<1, kGuarded>(p, {v.data + w, v.stride}, e, acc + w * kTile);
}
HWY_INLINE void mix(bool guarded, const float* p, Rows v, std::size_t width, Extent e, float* acc) {
  if (guarded)
    mix_all<true>(p, v, width, e, acc);
  else
    mix_all<false>(p, v, width, e, acc);
}

/// True if all of acc [width][kTile] is finite, in vector c.
HWY_INLINE bool finite(const float* acc, std::size_t width, std::size_t c) {
  V sum = zero();  // 0 x is NaN if x is infinite or NaN
  for (std::size_t w = 0; w < width; ++w)
    sum = hn::MulAdd(load(acc + w * kTile + c * kLanes), zero(), sum);
  return sum_lanes(sum) == 0;
}

/// acc[j][w] += sum over queries i in [first, last) of p[j][i] x[i][w], for kRows keys and kVectors
/// of w.
template <std::size_t kRows, std::size_t kVectors>
HWY_INLINE void spread_rows(const float* HWY_RESTRICT p, std::size_t first, std::size_t last,
                            Rows x, Rows accumulators) {
  float* HWY_RESTRICT acc = const_cast<float*>(accumulators.data);
  V sum[kRows][kVectors];
  ASSAY_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    ASSAY_UNROLL
    for (std::size_t c = 0; c < kVectors; ++c)
      sum[r][c] = load(acc + r * accumulators.stride + c * kLanes);
  }
  for (std::size_t i = first; i < last; ++i) {
    V row[kVectors];
    ASSAY_UNROLL
    for (std::size_t c = 0; c < kVectors; ++c) row[c] = load(x.row(i) + c * kLanes);
    ASSAY_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const V f = set(p[r * kTile + i]);
      ASSAY_UNROLL
      for (std::size_t c = 0; c < kVectors; ++c) sum[r][c] = hn::MulAdd(f, row[c], sum[r][c]);
    }
  }
  ASSAY_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    ASSAY_UNROLL
    for (std::size_t c = 0; c < kVectors; ++c)
      store(sum[r][c], acc + r * accumulators.stride + c * kLanes);
  }
}

// Keys [from, to), whose queries are [first, last).
template <std::size_t kVectors>
ASSAY_OUTLINED void spread_strip(const float* p, std::size_t from, std::size_t to,
                                 std::size_t first, std::size_t last, Rows x, Rows acc) {
  constexpr std::size_t kRows = kVectors == 1   ? 2 * kTileRows
                                : kVectors == 2 ? kTileRows
                                                : kTileRows / 2;
  std::size_t j = from;
  for (; j + kRows <= to; j += kRows)
    spread_rows<kRows, kVectors>(p + j * kTile, first, last, x, {acc.row(j), acc.stride});
  for (; j < to; ++j)
    spread_rows<1, kVectors>(p + j * kTile, first, last, x, {acc.row(j), acc.stride});
}

/// acc [keys][padded width] += p x for all that the vectors of a tile of `queries` see. x is padded
/// to whole vectors, too.
HWY_INLINE void spread(const float* p, std::size_t padded, std::size_t queries, Extent e, Rows x,
                       Rows acc) {
  const std::size_t shared = e.keys[0];
  const auto both = [&](auto vectors, std::size_t w) ASSAY_INLINE_BODY {
    constexpr std::size_t kVectors = decltype(vectors)::value;
    const Rows xs{x.data + w, x.stride}, sums{acc.data + w, acc.stride};
    spread_strip<kVectors>(p, 0, shared, 0, queries, xs, sums);
    if (e.vectors == 2) spread_strip<kVectors>(p, shared, e.keys[1], kLanes, queries, xs, sums);
  };
  std::size_t w = 0;
  for (; w + 4 * kLanes <= padded; w += 4 * kLanes)
    both(std::integral_constant<std::size_t, 4>(), w);
  for (; w + 2 * kLanes <= padded; w += 2 * kLanes)
    both(std::integral_constant<std::size_t, 2>(), w);
  for (; w < padded; w += kLanes) both(std::integral_constant<std::size_t, 1>(), w);
}
/// The place of a tile of queries in its head.
struct TilePlace {
  std::size_t first, queries;  // at most kTile
  std::size_t vectors;
  std::size_t limit[2];  // keys that the vectors see
  std::size_t begin;     // the block of keys with the first that any of them sees
  bool forbids;          // some query must not see some key that another does

  TilePlace(const AttentionHead& head, std::size_t start, std::size_t count)
      : first(start), queries(count), vectors(count > kLanes ? 2 : 1) {
    limit[0] = head.visible(start + std::min(count, kLanes) - 1);
    limit[1] = head.visible(start + count - 1);
    begin = head.first(start) / kKeyBlock * kKeyBlock;
    forbids = head.pairs || head.behind >= 0 || head.visible(start) < limit[1];
  }
  std::size_t keys() const { return limit[vectors - 1]; }
  Extent extent(std::size_t block) const {
    const auto within = [block](std::size_t end) {
      return end > block ? std::min(end - block, kKeyBlock) : std::size_t{0};
    };
    return {vectors, {within(limit[0]), within(limit[1])}};
  }
};

/// rows [first, first + queries) as [w][kTile], times factor; lanes past the last are 0.
ASSAY_OUTLINED void load_tile(Rows rows, std::size_t width, TilePlace place, float factor,
                              float* out) {
  if (place.queries < kTile) std::fill_n(out, width * kTile, 0.0F);
  transpose_block(place.queries, width, rows.row(place.first), rows.stride, factor,
                  {out, kTile, false});
}

/// Adds what belongs to the distances, for vector c of the tile: neighbouring queries stand at
/// neighbouring distances.
ASSAY_OUTLINED void add_bias(const AttentionHead& head, const TilePlace& place, std::size_t block,
                             std::size_t keys, std::size_t c, float* s) {
  const float* first = head.bias + static_cast<std::int64_t>(place.first + c * kLanes) + head.place;
  for (std::size_t j = 0; j < keys; ++j) {
    float* at = s + j * kTile + c * kLanes;
    store(hn::Add(load(at), load(first - head.position(block + j))), at);
  }
}

/// Puts -infinity where a query must not see a key of the block, for vector c of the tile.
ASSAY_OUTLINED void forbid(const AttentionHead& head, const TilePlace& place, std::size_t block,
                           std::size_t keys, std::size_t c, float* s) {
  const V never = set(-HUGE_VALF);
  const std::size_t query = place.first + c * kLanes;
  if (head.causal) {
    const std::size_t seen_by_all = head.visible(query);
    for (std::size_t j = seen_by_all > block ? seen_by_all - block : 0; j < keys; ++j) {
      const auto first_allowed = head.position(block + j) - head.offset;
      const auto lanes = static_cast<std::size_t>(first_allowed - static_cast<std::int64_t>(query));
      float* at = s + j * kTile + c * kLanes;
      store(hn::IfThenElse(hn::FirstN(kFloats, lanes), never, load(at)), at);
    }
  }
  for (std::size_t j = 0; head.behind >= 0 && j < keys; ++j) {
    const std::int64_t lanes = head.position(block + j) - head.earliest(query) + 1;
    if (lanes >= static_cast<std::int64_t>(kLanes)) break;
    float* at = s + j * kTile + c * kLanes;
    const auto near = static_cast<std::size_t>(std::max<std::int64_t>(lanes, 0));
    store(hn::IfThenElse(hn::FirstN(kFloats, near), load(at), never), at);
  }
  if (head.pairs) {
    const std::size_t lanes = std::min(kLanes, place.queries - c * kLanes);
    for (std::size_t j = 0; j < keys; ++j) {
      const auto position = static_cast<std::size_t>(head.position(block + j));
      for (std::size_t i = 0; i < lanes; ++i)
        if (!head.pairs[(query + i) * head.pair_stride + position])
          s[j * kTile + c * kLanes + i] = -HUGE_VALF;
    }
  }
}

/// From products to scores: what is added to them, and -infinity where a key must not be seen.
HWY_INLINE void finish_scores(const AttentionHead& head, const TilePlace& place, std::size_t block,
                              std::size_t keys, std::size_t c, float* s) {
  if (head.bias) add_bias(head, place, block, keys, c, s);
  forbid(head, place, block, keys, c, s);
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
