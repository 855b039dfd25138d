#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tensor/kernels/highway_targets.h"
#include "tensor/kernels/normalise.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/rms_norm.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

void rms_norm(std::size_t rows, std::size_t width, const float* x, const float* gain, float epsilon,
              float* y, float* inverse_root) {
  const float share = 1.0F / static_cast<float>(width);
  for (std::size_t row = 0; row < rows; ++row, x += width, y += width) {
    const V squares = fold_row(
        width, zero(),
        [=](std::size_t i, std::size_t n, V s) ASSAY_INLINE_BODY {
          const V v = load_first(x + i, n);
          return hn::MulAdd(v, v, s);
        },
        Sum());
    const float inverse = 1.0F / std::sqrt(sum_lanes(squares) * share + epsilon);
    if (inverse_root) inverse_root[row] = inverse;
    const V r = set(inverse);
    in_lanes(width, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      store_first(hn::Mul(hn::Mul(load_first(x + i, n), r), load_first(gain + i, n)), y + i, n);
    });
  }
}

// With r the inverse root, h = x r and e = dy gain: dx = r (e - h mean(e h)), dgain = sum dy h.
void rms_norm_gradient(const RmsNormGradient& g, float* dgain) {
  const auto width = static_cast<std::size_t>(g.width);
  const V share = set(1.0F / static_cast<float>(g.width));
  const float* gain = g.gain;
  for (std::size_t row = 0; row < static_cast<std::size_t>(g.rows); ++row) {
    const float* x = g.x + row * width;
    const float* dy = g.dy + row * width;
    const V r = set(g.inverse_root[row]);
    const V eh_sum = fold_row(
        width, zero(),
        [&](std::size_t i, std::size_t n, V s) ASSAY_INLINE_BODY {
          const V h = hn::Mul(load_first(x + i, n), r);
          const V dh = hn::Mul(load_first(dy + i, n), h);
          if (dgain) store_first(hn::Add(dh, load_first(dgain + i, n)), dgain + i, n);
          return hn::MulAdd(dh, load_first(gain + i, n), s);
        },
        Sum());
    if (!g.dx.data) continue;
    const V eh_mean = hn::Mul(hn::SumOfLanes(kFloats, eh_sum), share);
    float* dx = g.dx.data + row * width;
    const bool accumulate = g.dx.accumulate;
    in_lanes(width, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      const V h = hn::Mul(load_first(x + i, n), r);
      const V e = hn::Mul(load_first(dy + i, n), load_first(gain + i, n));
      const V d = hn::Mul(r, hn::NegMulAdd(h, eh_mean, e));
      store_first(accumulate ? hn::Add(d, load_first(dx + i, n)) : d, dx + i, n);
    });
  }
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(rms_norm);
HWY_EXPORT(rms_norm_gradient);

void rms_norm_forward(std::int64_t rows, std::int64_t width, const float* x, const float* gain,
                      float epsilon, float* y, float* inverse_root) {
  HWY_DYNAMIC_DISPATCH(rms_norm)
  (static_cast<std::size_t>(rows), static_cast<std::size_t>(width), x, gain, epsilon, y,
   inverse_root);
}
void rms_norm_backward(const RmsNormGradient& g) {
  if (g.dgain.data && !g.dgain.accumulate) std::fill_n(g.dgain.data, g.width, 0.0F);
  HWY_DYNAMIC_DISPATCH(rms_norm_gradient)(g, g.dgain.data);
}

}  // namespace assay
#endif
