#include "tensor/kernels/normalise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tensor/kernels/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/normalise.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

HWY_INLINE float row_sum(const float* x, std::size_t width) {
  return sum_lanes(fold_row(
      width, zero(),
      [=](std::size_t i, std::size_t n, V s)
          ASSAY_INLINE_BODY { return hn::Add(s, load_first(x + i, n)); },
      Sum()));
}

// Two passes over a row, which is in the first-level cache by then: the variance is that of the
// differences, so that a large mean costs no accuracy.
void layer_norm(std::size_t rows, std::size_t width, const float* x, const float* gain,
                const float* bias, float epsilon, float* y, float* means,
                float* inverse_deviations) {
  const float share = 1.0F / static_cast<float>(width);
  for (std::size_t row = 0; row < rows; ++row, x += width, y += width) {
    const float mean = row_sum(x, width) * share;
    const V m = set(mean);
    const V squares = fold_row(
        width, zero(),
        [=](std::size_t i, std::size_t n, V s) ASSAY_INLINE_BODY {
          const V d = keep_first(hn::Sub(load_first(x + i, n), m), n);
          return hn::MulAdd(d, d, s);
        },
        Sum());
    const float inverse = 1.0F / std::sqrt(sum_lanes(squares) * share + epsilon);
    const V r = set(inverse);
    in_lanes(width, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      const V normal = hn::Mul(hn::Sub(load_first(x + i, n), m), r);
      store_first(hn::MulAdd(normal, load_first(gain + i, n), load_first(bias + i, n)), y + i, n);
    });
    if (means) {
      means[row] = mean;
      inverse_deviations[row] = inverse;
    }
  }
}

// With h = (x - mean) r and e = dy gain: dx = r (e - mean(e) - h mean(e h)), dgain = sum dy h,
// dbias = sum dy.
void layer_norm_gradient(const LayerNormGradient& g) {
  const auto width = static_cast<std::size_t>(g.width);
  const V share = set(1.0F / static_cast<float>(g.width));
  if (g.dgain.data && !g.dgain.accumulate) std::fill_n(g.dgain.data, width, 0.0F);
  if (g.dbias.data && !g.dbias.accumulate) std::fill_n(g.dbias.data, width, 0.0F);
  for (std::size_t row = 0; row < static_cast<std::size_t>(g.rows); ++row) {
    const float* x = g.x + row * width;
    const float* dy = g.dy + row * width;
    const V m = set(g.mean[row]), r = set(g.inverse_deviation[row]);
    if (float* dgain = g.dgain.data)
      in_lanes(width, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
        const V h = hn::Mul(hn::Sub(load_first(x + i, n), m), r);
        store_first(hn::MulAdd(load_first(dy + i, n), h, load_first(dgain + i, n)), dgain + i, n);
      });
    if (float* dbias = g.dbias.data)
      in_lanes(width, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
        store_first(hn::Add(load_first(dy + i, n), load_first(dbias + i, n)), dbias + i, n);
      });
    if (!g.dx.data) continue;
    const float* gain = g.gain;
    const V e_sum = fold_row(
        width, zero(),
        [=](std::size_t i, std::size_t n, V s) ASSAY_INLINE_BODY {
          return hn::MulAdd(load_first(dy + i, n), load_first(gain + i, n), s);
        },
        Sum());
    const V eh_sum = fold_row(
        width, zero(),
        [=](std::size_t i, std::size_t n, V s) ASSAY_INLINE_BODY {
          const V h = hn::Mul(hn::Sub(load_first(x + i, n), m), r);
          return hn::MulAdd(hn::Mul(load_first(dy + i, n), load_first(gain + i, n)), h, s);
        },
        Sum());
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

void softmax_rows(std::size_t rows, std::size_t width, const float* x, float* y) {
  for (std::size_t row = 0; row < rows; ++row, x += width, y += width) {
    const float largest = row_max(x, width);
    const V shift = set(largest == -HUGE_VALF ? 0.0F : largest);
    const float total = sum_lanes(fold_row(
        width, zero(),
        [=](std::size_t i, std::size_t n, V s) ASSAY_INLINE_BODY {
          const V e = exp_nonpositive(hn::Sub(load_first(x + i, n), shift));
          store_first(e, y + i, n);
          return hn::Add(s, keep_first(e, n));
        },
        Sum()));
    const V factor = set(total == 0 ? 0.0F : 1.0F / total);
    in_lanes(width, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      store_first(hn::Mul(load_first(y + i, n), factor), y + i, n);
    });
  }
}

void softmax_gradient(std::size_t rows, std::size_t width, const float* y, const float* dy,
                      Into into) {
  float* dx = into.data;
  const bool accumulate = into.accumulate;
  for (std::size_t row = 0; row < rows; ++row, y += width, dy += width, dx += width) {
    const V products = fold_row(
        width, zero(),
        [=](std::size_t i, std::size_t n, V s) ASSAY_INLINE_BODY {
          return hn::MulAdd(load_first(y + i, n), load_first(dy + i, n), s);
        },
        Sum());
    const V inner = hn::SumOfLanes(kFloats, products);
    in_lanes(width, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      const V d = hn::Mul(load_first(y + i, n), hn::Sub(load_first(dy + i, n), inner));
      store_first(accumulate ? hn::Add(d, load_first(dx + i, n)) : d, dx + i, n);
    });
  }
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(layer_norm);
HWY_EXPORT(layer_norm_gradient);
HWY_EXPORT(softmax_rows);
HWY_EXPORT(softmax_gradient);

void layer_norm_forward(std::int64_t rows, std::int64_t width, const float* x, const float* gain,
                        const float* bias, float epsilon, float* y, float* mean,
                        float* inverse_deviation) {
  HWY_DYNAMIC_DISPATCH(layer_norm)
  (static_cast<std::size_t>(rows), static_cast<std::size_t>(width), x, gain, bias, epsilon, y, mean,
   inverse_deviation);
}
void layer_norm_backward(const LayerNormGradient& gradient) {
  HWY_DYNAMIC_DISPATCH(layer_norm_gradient)(gradient);
}
void softmax_forward(std::int64_t rows, std::int64_t width, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(softmax_rows)
  (static_cast<std::size_t>(rows), static_cast<std::size_t>(width), x, y);
}
void softmax_backward(std::int64_t rows, std::int64_t width, const float* y, const float* dy,
                      Into dx) {
  HWY_DYNAMIC_DISPATCH(softmax_gradient)
  (static_cast<std::size_t>(rows), static_cast<std::size_t>(width), y, dy, dx);
}

}  // namespace assay
#endif
