#include <cmath>
#include <cstddef>

#include "tensor/kernels/highway_targets.h"
#include "tensor/kernels/normalise.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/softmax.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

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

HWY_EXPORT(softmax_rows);
HWY_EXPORT(softmax_gradient);

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
