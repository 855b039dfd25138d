#include "tensor/kernels/attention_kernels.h"
#include "tensor/kernels/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/attention_forward.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/attention-inl.h"
// After attention-inl.h, which includes highway.h.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

// Running maximum and sum of one vector of queries (Milakov and Gimelshein, 2018, "Online
// normalizer calculation for softmax"; Dao et al., 2022, algorithm 1).
struct Running {
  V largest, sum;
};

// Turns the scores of a block into weights relative to the new maximum; sums so far shrink
// accordingly.
HWY_INLINE void weigh(std::size_t keys, std::size_t width, bool first_block, Running& run, float* s,
                      float* acc) {
  V m0 = run.largest, m1 = run.largest;
  std::size_t j = 0;
  for (; j + 2 <= keys; j += 2) {
    m0 = hn::Max(m0, load(s + j * kTile));
    m1 = hn::Max(m1, load(s + (j + 1) * kTile));
  }
  if (j < keys) m0 = hn::Max(m0, load(s + j * kTile));
  const V largest = hn::Max(m0, m1);
  // A query that has seen only forbidden keys so far: any finite shift gives weights of 0.
  const V shift = hn::IfThenZeroElse(hn::Eq(largest, set(-HUGE_VALF)), largest);
  V t0 = zero(), t1 = zero();
  if (!first_block) {
    const V shrink = exp_nonpositive(hn::Sub(run.largest, shift));
    t0 = hn::Mul(run.sum, shrink);
    for (std::size_t w = 0; w < width; ++w)
      store(hn::Mul(load(acc + w * kTile), shrink), acc + w * kTile);
  }
  for (j = 0; j + 2 <= keys; j += 2) {
    const V e0 = exp_nonpositive(hn::Sub(load(s + j * kTile), shift));
    const V e1 = exp_nonpositive(hn::Sub(load(s + (j + 1) * kTile), shift));
    store(e0, s + j * kTile);
    store(e1, s + (j + 1) * kTile);
    t0 = hn::Add(t0, e0);
    t1 = hn::Add(t1, e1);
  }
  if (j < keys) {
    const V e0 = exp_nonpositive(hn::Sub(load(s + j * kTile), shift));
    store(e0, s + j * kTile);
    t0 = hn::Add(t0, e0);
  }
  run = {largest, hn::Add(t0, t1)};
}

// Not guarded, returns false if the value of a forbidden key may have come through: nothing is
// written then.
HWY_INLINE bool forward_tile(const AttentionHead& head, const TilePlace& place,
                             const AttentionOutput& out, bool guarded, float* scratch) {
  const std::size_t width = head.width;
  float* qt = scratch;              // [width][kTile]
  float* acc = qt + width * kTile;  // [width][kTile]
  float* s = acc + width * kTile;   // [kKeyBlock][kTile]
  load_tile(head.q, width, place, head.scale, qt);
  std::fill_n(acc, width * kTile, 0.0F);
  Running run[2] = {{set(-HUGE_VALF), zero()}, {set(-HUGE_VALF), zero()}};
  for (std::size_t block = place.begin; block < place.keys(); block += kKeyBlock) {
    const Extent e = place.extent(block);
    scores(qt, width, {head.k.row(block), head.k.stride}, e, s);
    for (std::size_t c = 0; c < e.vectors; ++c) {
      if (e.keys[c] == 0) continue;
      finish_scores(head, place, block, e.keys[c], c, s);
      weigh(e.keys[c], width, block == place.begin, run[c], s + c * kLanes, acc + c * kLanes);
    }
    mix(guarded, s, {head.v.row(block), head.v.stride}, width, e, acc);
  }
  for (std::size_t c = 0; c < place.vectors; ++c)
    if (!guarded && place.forbids && !finite(acc, width, c)) return false;
  for (std::size_t c = 0; c < place.vectors; ++c) {
    const auto nothing = hn::Eq(run[c].sum, zero());
    const V share = hn::IfThenZeroElse(nothing, hn::Div(set(1.0F), run[c].sum));
    for (std::size_t w = 0; w < width; ++w) {
      float* at = acc + w * kTile + c * kLanes;
      store(hn::Mul(load(at), share), at);
    }
    if (out.log_sum_exp) {
      const std::size_t first = c * kLanes;
      store_first(hn::Add(run[c].largest, hn::Log(kFloats, run[c].sum)),
                  out.log_sum_exp + place.first + first, std::min(place.queries - first, kLanes));
    }
  }
  transpose_block(width, place.queries, acc, kTile, 1.0F,
                  {out.data + place.first * out.stride, out.stride, out.accumulate});
  return true;
}

void forward_queries(const AttentionHead& head, std::size_t first, std::size_t last,
                     const AttentionOutput& out, Scratch& memory) {
  float* scratch = memory.floats(2 * head.width * kTile + kKeyBlock * kTile);
  for (std::size_t i = first; i < last; i += kTile) {
    const TilePlace place(head, i, std::min(kTile, last - i));
    if (!forward_tile(head, place, out, false, scratch))
      forward_tile(head, place, out, true, scratch);
  }
}

// The weights themselves, from the log-sum-exp: for who looks at them, not for training.
void write_weights(const AttentionHead& head, const float* log_sum_exp, std::size_t stride,
                   float* weights, Scratch& memory) {
  float* qt = memory.floats(head.width * kTile + kKeyBlock * kTile);
  float* s = qt + head.width * kTile;
  std::fill_n(weights, head.queries * stride, 0.0F);
  for (std::size_t i = 0; i < head.queries; i += kTile) {
    const TilePlace place(head, i, std::min(kTile, head.queries - i));
    load_tile(head.q, head.width, place, head.scale, qt);
    for (std::size_t block = place.begin; block < place.keys(); block += kKeyBlock) {
      const Extent e = place.extent(block);
      scores(qt, head.width, {head.k.row(block), head.k.stride}, e, s);
      for (std::size_t c = 0; c < e.vectors; ++c) {
        finish_scores(head, place, block, e.keys[c], c, s);
        for (std::size_t lane = c * kLanes; lane < std::min(place.queries, (c + 1) * kLanes);
             ++lane)
          for (std::size_t j = 0; j < e.keys[c]; ++j) {
            const float score = s[j * kTile + lane];
            if (score == -HUGE_VALF) continue;
            weights[(i + lane) * stride + static_cast<std::size_t>(head.position(block + j))] =
                std::exp(score - log_sum_exp[i + lane]);
          }
      }
    }
  }
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(forward_queries);
HWY_EXPORT(write_weights);

void attention_queries(const AttentionHead& head, std::size_t first, std::size_t last,
                       const AttentionOutput& out, Scratch& memory) {
  HWY_DYNAMIC_DISPATCH(forward_queries)(head, first, last, out, memory);
}
void attention_weights(const AttentionHead& head, const float* log_sum_exp, std::size_t stride,
                       float* weights, Scratch& memory) {
  HWY_DYNAMIC_DISPATCH(write_weights)(head, log_sum_exp, stride, weights, memory);
}

}  // namespace assay
#endif
