#include "tensor/kernels/normalise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tensor/kernels/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/layer_norm.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

// Widths of 1, 2, 4 or 8 whole vectors keep a row in registers; others go over it (it is in the
// first-level cache) again. The variance is that of the differences from the mean, so that a large
// mean costs no accuracy.

struct LayerNormRows {
  std::size_t rows, width;
  const float *x, *gain, *bias;
  float epsilon;
  float *y, *means, *inverse_deviations;
};

HWY_INLINE void keep_statistics(const LayerNormRows& p, std::size_t row, float mean,
                                float inverse) {
  if (!p.means) return;
  p.means[row] = mean;
  p.inverse_deviations[row] = inverse;
}

void normalise_any(const LayerNormRows& p) {
  const float share = 1.0F / static_cast<float>(p.width);
  for (std::size_t row = 0; row < p.rows; ++row) {
    const float* x = p.x + row * p.width;
    float* y = p.y + row * p.width;
    const V total = fold_row(
        p.width, zero(),
        [=](std::size_t i, std::size_t n, V s)
            ASSAY_INLINE_BODY { return hn::Add(s, load_first(x + i, n)); },
        Sum());
    const float mean = sum_lanes(total) * share;
    const V m = set(mean);
    const V squares = fold_row(
        p.width, zero(),
        [=](std::size_t i, std::size_t n, V s) ASSAY_INLINE_BODY {
          const V d = keep_first(hn::Sub(load_first(x + i, n), m), n);
          return hn::MulAdd(d, d, s);
        },
        Sum());
    const float inverse = 1.0F / std::sqrt(sum_lanes(squares) * share + p.epsilon);
    const V r = set(inverse);
    in_lanes(p.width, [&](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      const V normal = hn::Mul(hn::Sub(load_first(x + i, n), m), r);
      store_first(hn::MulAdd(normal, load_first(p.gain + i, n), load_first(p.bias + i, n)), y + i,
                  n);
    });
    keep_statistics(p, row, mean, inverse);
  }
}

// The sum of all elements of a few vectors, pairwise.
template <std::size_t kVectors>
HWY_INLINE V sum_vectors(const V (&v)[kVectors]) {
  V t[kVectors];
  ASSAY_UNROLL
  for (std::size_t i = 0; i < kVectors; ++i) t[i] = v[i];
  ASSAY_UNROLL
  for (std::size_t half = kVectors / 2; half > 0; half /= 2) {
    ASSAY_UNROLL
    for (std::size_t i = 0; i < half; ++i) t[i] = hn::Add(t[i], t[i + half]);
  }
  return t[0];
}

template <std::size_t kVectors>
HWY_INLINE void normalise_vectors(const LayerNormRows& p) {
  const float share = 1.0F / static_cast<float>(p.width);
  for (std::size_t row = 0; row < p.rows; ++row) {
    const float* x = p.x + row * p.width;
    float* y = p.y + row * p.width;
    V d[kVectors], squares[kVectors];
    ASSAY_UNROLL
    for (std::size_t i = 0; i < kVectors; ++i) d[i] = load(x + i * kLanes);
    const float mean = sum_lanes(sum_vectors(d)) * share;
    const V m = set(mean);
    ASSAY_UNROLL
    for (std::size_t i = 0; i < kVectors; ++i) {
      d[i] = hn::Sub(d[i], m);
      squares[i] = hn::Mul(d[i], d[i]);
    }
    const float inverse = 1.0F / std::sqrt(sum_lanes(sum_vectors(squares)) * share + p.epsilon);
    const V r = set(inverse);
    ASSAY_UNROLL
    for (std::size_t i = 0; i < kVectors; ++i)
      store(hn::MulAdd(hn::Mul(d[i], r), load(p.gain + i * kLanes), load(p.bias + i * kLanes)),
            y + i * kLanes);
    keep_statistics(p, row, mean, inverse);
  }
}

void layer_norm(std::size_t rows, std::size_t width, const float* x, const float* gain,
                const float* bias, float epsilon, float* y, float* means,
                float* inverse_deviations) {
  const LayerNormRows p{rows, width, x, gain, bias, epsilon, y, means, inverse_deviations};
  if (p.width == kLanes) return normalise_vectors<1>(p);
  if (p.width == 2 * kLanes) return normalise_vectors<2>(p);
  if (p.width == 4 * kLanes) return normalise_vectors<4>(p);
  if (p.width == 8 * kLanes) return normalise_vectors<8>(p);
  normalise_any(p);
}

// With h = (x - mean) r and e = dy gain: dx = r (e - mean(e) - h mean(e h)), dgain = sum dy h,
// dbias = sum dy.
void gradient_any(const LayerNormGradient& g, float* dgain, float* dbias) {
  const auto width = static_cast<std::size_t>(g.width);
  const V share = set(1.0F / static_cast<float>(g.width));
  const float* gain = g.gain;
  for (std::size_t row = 0; row < static_cast<std::size_t>(g.rows); ++row) {
    const float* x = g.x + row * width;
    const float* dy = g.dy + row * width;
    const V m = set(g.mean[row]), r = set(g.inverse_deviation[row]);
    V eh_sum = zero();
    const V e_sum = fold_row(
        width, zero(),
        [&](std::size_t i, std::size_t n, V s) ASSAY_INLINE_BODY {
          const V h = hn::Mul(hn::Sub(load_first(x + i, n), m), r);
          const V d = load_first(dy + i, n);
          const V e = hn::Mul(d, load_first(gain + i, n));
          if (dgain) store_first(hn::MulAdd(d, h, load_first(dgain + i, n)), dgain + i, n);
          if (dbias) store_first(hn::Add(d, load_first(dbias + i, n)), dbias + i, n);
          eh_sum = hn::MulAdd(e, h, eh_sum);
          return hn::Add(s, e);
        },
        Sum());
    if (!g.dx.data) continue;
    const V e_mean = hn::Mul(hn::SumOfLanes(kFloats, e_sum), share);
    const V eh_mean = hn::Mul(hn::SumOfLanes(kFloats, eh_sum), share);
    float* dx = g.dx.data + row * width;
    const bool accumulate = g.dx.accumulate;
    in_lanes(width, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      const V h = hn::Mul(hn::Sub(load_first(x + i, n), m), r);
      const V e = hn::Mul(load_first(dy + i, n), load_first(gain + i, n));
      const V d = hn::Mul(r, hn::NegMulAdd(h, eh_mean, hn::Sub(e, e_mean)));
      store_first(accumulate ? hn::Add(d, load_first(dx + i, n)) : d, dx + i, n);
    });
  }
}

template <std::size_t kVectors>
HWY_INLINE void gradient_vectors(const LayerNormGradient& g, float* dgain, float* dbias) {
  constexpr std::size_t kWidth = kVectors * kLanes;
  const V share = set(1.0F / static_cast<float>(kWidth));
  V gain[kVectors], gain_sum[kVectors], bias_sum[kVectors];
  ASSAY_UNROLL
  for (std::size_t i = 0; i < kVectors; ++i) {
    gain[i] = load(g.gain + i * kLanes);
    gain_sum[i] = dgain ? load(dgain + i * kLanes) : zero();
    bias_sum[i] = dbias ? load(dbias + i * kLanes) : zero();
  }
  for (std::size_t row = 0; row < static_cast<std::size_t>(g.rows); ++row) {
    const float* x = g.x + row * kWidth;
    const float* dy = g.dy + row * kWidth;
    const V m = set(g.mean[row]), r = set(g.inverse_deviation[row]);
    V h[kVectors], e[kVectors], eh[kVectors];
    ASSAY_UNROLL
    for (std::size_t i = 0; i < kVectors; ++i) {
      h[i] = hn::Mul(hn::Sub(load(x + i * kLanes), m), r);
      const V d = load(dy + i * kLanes);
      gain_sum[i] = hn::MulAdd(d, h[i], gain_sum[i]);
      bias_sum[i] = hn::Add(d, bias_sum[i]);
      e[i] = hn::Mul(d, gain[i]);
      eh[i] = hn::Mul(e[i], h[i]);
    }
    if (!g.dx.data) continue;
    const V e_mean = hn::Mul(hn::SumOfLanes(kFloats, sum_vectors(e)), share);
    const V eh_mean = hn::Mul(hn::SumOfLanes(kFloats, sum_vectors(eh)), share);
    float* dx = g.dx.data + row * kWidth;
    ASSAY_UNROLL
    for (std::size_t i = 0; i < kVectors; ++i) {
      const V d = hn::Mul(r, hn::NegMulAdd(h[i], eh_mean, hn::Sub(e[i], e_mean)));
      store(g.dx.accumulate ? hn::Add(d, load(dx + i * kLanes)) : d, dx + i * kLanes);
    }
  }
  ASSAY_UNROLL
  for (std::size_t i = 0; i < kVectors; ++i) {
    if (dgain) store(gain_sum[i], dgain + i * kLanes);
    if (dbias) store(bias_sum[i], dbias + i * kLanes);
  }
}

void layer_norm_gradient(const LayerNormGradient& g, float* dgain, float* dbias) {
  const auto width = static_cast<std::size_t>(g.width);
  if (width == kLanes) return gradient_vectors<1>(g, dgain, dbias);
  if (width == 2 * kLanes) return gradient_vectors<2>(g, dgain, dbias);
  if (width == 4 * kLanes) return gradient_vectors<4>(g, dgain, dbias);
  gradient_any(g, dgain, dbias);
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(layer_norm);
HWY_EXPORT(layer_norm_gradient);

void layer_norm_forward(std::int64_t rows, std::int64_t width, const float* x, const float* gain,
                        const float* bias, float epsilon, float* y, float* mean,
                        float* inverse_deviation) {
  HWY_DYNAMIC_DISPATCH(layer_norm)
  (static_cast<std::size_t>(rows), static_cast<std::size_t>(width), x, gain, bias, epsilon, y, mean,
   inverse_deviation);
}
void layer_norm_backward(const LayerNormGradient& gradient) {
  for (const Into& sums : {gradient.dgain, gradient.dbias})
    if (sums.data && !sums.accumulate) std::fill_n(sums.data, gradient.width, 0.0F);
  HWY_DYNAMIC_DISPATCH(layer_norm_gradient)(gradient, gradient.dgain.data, gradient.dbias.data);
}
}  // namespace assay
#endif
