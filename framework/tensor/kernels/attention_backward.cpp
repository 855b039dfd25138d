#include "tensor/kernels/attention_kernels.h"
#include "tensor/kernels/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/attention_backward.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

std::size_t padded_width(std::size_t width) {
  return (width + kLanes - 1) / kLanes * kLanes;
}

// Rows of x whose width is not a multiple of the lanes, padded with zeros: so that vectors can be
// loaded whole.
HWY_INLINE Rows padded_rows(Rows x, const TilePlace& place, std::size_t width, std::size_t padded,
                            float* memory) {
  if (width == padded) return {x.row(place.first), x.stride};
  for (std::size_t i = 0; i < place.queries; ++i) {
    const float* row = x.row(place.first + i);
    float* to = memory + i * padded;
    in_lanes(width, [=](std::size_t w, std::size_t n)
                        ASSAY_INLINE_BODY { store(load_first(row + w, n), to + w); });
  }
  return {memory, padded};
}

// p = exp(s - log_sum_exp), where s = -infinity stands for a forbidden pair, and ds = p (dp -
// delta); ds is 0 where p is, since dp may be NaN there.
HWY_INLINE void score_gradient(std::size_t keys, V log_sum_exp, V delta, float* p, float* ds) {
  const V shift = hn::IfThenZeroElse(hn::Eq(log_sum_exp, set(-HUGE_VALF)), log_sum_exp);
  for (std::size_t j = 0; j < keys; ++j) {
    // Rounding may leave a score a hair above the sum of all: exp_nonpositive does not mind.
    const V weight = exp_nonpositive(hn::Sub(load(p + j * kTile), shift));
    const V d = hn::Mul(weight, hn::Sub(load(ds + j * kTile), delta));
    store(weight, p + j * kTile);
    store(hn::IfThenZeroElse(hn::Eq(weight, zero()), d), ds + j * kTile);
  }
}

// ds to the distances that the scores had.
ASSAY_OUTLINED void add_bias_gradient(const AttentionHead& head, const TilePlace& place,
                                      std::size_t block, std::size_t keys, std::size_t c,
                                      const float* ds, float* dbias) {
  const std::size_t query = place.first + c * kLanes;
  const std::size_t lanes = std::min(kLanes, place.queries - c * kLanes);
  float* first = dbias + static_cast<std::int64_t>(query) + head.place;
  for (std::size_t j = 0; j < keys; ++j) {
    float* at = first - head.position(block + j);
    store(hn::Add(load(at), keep_first(load(ds + j * kTile + c * kLanes), lanes)), at);
  }
}

// Not guarded, returns false if the value of a forbidden key may have come through to dq, which is
// not written then. Guarded, only dq is written.
HWY_INLINE bool backward_tile(const AttentionHead& head, const TilePlace& place,
                              const AttentionGradient& g, bool guarded, float* scratch) {
  const std::size_t width = head.width, padded = padded_width(width);
  float* qt = scratch;                    // [width][kTile], scaled
  float* dot = qt + width * kTile;        // d(out), [width][kTile]
  float* dqt = dot + width * kTile;       // [width][kTile]
  float* p = dqt + width * kTile;         // [kKeyBlock][kTile]
  float* ds = p + kKeyBlock * kTile;      // [kKeyBlock][kTile]
  float* delta = ds + kKeyBlock * kTile;  // [kTile]: sum over w of out dout
  float* log_sum_exp = delta + kTile;     // [kTile]
  float* rows = log_sum_exp + kTile;      // 2 [kTile][padded]
  load_tile(head.q, width, place, head.scale, qt);
  load_tile(g.dout, width, place, 1.0F, dot);
  std::fill_n(dqt, width * kTile, 0.0F);
  std::fill_n(delta, 2 * kTile, 0.0F);
  for (std::size_t i = 0; i < place.queries; ++i) {
    const float *a = g.out.row(place.first + i), *b = g.dout.row(place.first + i);
    V sum = zero();
    in_lanes(width, [&](std::size_t w, std::size_t n) ASSAY_INLINE_BODY {
      sum = hn::MulAdd(load_first(a + w, n), load_first(b + w, n), sum);
    });
    delta[i] = sum_lanes(sum);
    log_sum_exp[i] = g.log_sum_exp[place.first + i];
  }
  const Rows q_rows = padded_rows(head.q, place, width, padded, rows);
  const Rows dout_rows = padded_rows(g.dout, place, width, padded, rows + kTile * padded);
  for (std::size_t block = place.begin; block < place.keys(); block += kKeyBlock) {
    const Extent e = place.extent(block);
    scores(qt, width, {head.k.row(block), head.k.stride}, e, p);
    scores(dot, width, {head.v.row(block), head.v.stride}, e, ds);
    for (std::size_t c = 0; c < e.vectors; ++c) {
      if (e.keys[c] == 0) continue;
      const std::size_t lane = c * kLanes;
      finish_scores(head, place, block, e.keys[c], c, p);
      score_gradient(e.keys[c], load(log_sum_exp + lane), load(delta + lane), p + lane, ds + lane);
      if (g.dbias && !guarded) add_bias_gradient(head, place, block, e.keys[c], c, ds, g.dbias);
    }
    if (g.dq.data) mix(guarded, ds, {head.k.row(block), head.k.stride}, width, e, dqt);
    if (g.dk && !guarded) {
      spread(p, padded, place.queries, e, dout_rows, {g.dv + block * padded, padded});
      spread(ds, padded, place.queries, e, q_rows, {g.dk + block * padded, padded});
    }
  }
  if (!g.dq.data) return true;
  for (std::size_t c = 0; c < place.vectors; ++c)
    if (!guarded && place.forbids && !finite(dqt, width, c)) return false;
  transpose_block(width, place.queries, dqt, kTile, head.scale,
                  {g.dq.data + place.first * g.dq_stride, g.dq_stride, g.dq.accumulate});
  return true;
}

void backward_queries(const AttentionHead& head, std::size_t first, std::size_t last,
                      const AttentionGradient& gradient, Scratch& memory) {
  float* scratch = memory.floats(3 * head.width * kTile + 2 * kKeyBlock * kTile + 2 * kTile +
                                 2 * kTile * padded_width(head.width));
  for (std::size_t i = first; i < last; i += kTile) {
    const TilePlace place(head, i, std::min(kTile, last - i));
    if (!backward_tile(head, place, gradient, false, scratch))
      backward_tile(head, place, gradient, true, scratch);
  }
}

void key_gradient(const KeySums& sums, std::size_t rows, std::size_t width, float factor, Into out,
                  std::size_t stride) {
  const std::size_t padded = padded_width(width);
  const V f = set(factor);
  for (std::size_t j = 0; j < rows; ++j) {
    const float* from = sums.data + j * padded;
    float* to = out.data + j * stride;
    in_lanes(width, [&](std::size_t w, std::size_t n) ASSAY_INLINE_BODY {
      V sum = load(from + w);
      for (std::size_t part = 1; part < sums.parts; ++part)
        sum = hn::Add(sum, load(from + part * sums.part_stride + w));
      sum = hn::Mul(sum, f);
      store_first(out.accumulate ? hn::Add(sum, load_first(to + w, n)) : sum, to + w, n);
    });
  }
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(padded_width);
HWY_EXPORT(backward_queries);
HWY_EXPORT(key_gradient);

std::size_t attention_padded_width(std::size_t width) {
  return HWY_DYNAMIC_DISPATCH(padded_width)(width);
}
void attention_gradient(const AttentionHead& head, std::size_t first, std::size_t last,
                        const AttentionGradient& gradient, Scratch& memory) {
  HWY_DYNAMIC_DISPATCH(backward_queries)(head, first, last, gradient, memory);
}

void attention_key_gradient(const KeySums& sums, std::size_t rows, std::size_t width, float factor,
                            Into out, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(key_gradient)(sums, rows, width, factor, out, stride);
}

}  // namespace assay
#endif
