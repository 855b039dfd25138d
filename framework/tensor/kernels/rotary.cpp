#include "tensor/kernels/rotary.h"

#include <cstddef>

#include "tensor/kernels/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/rotary.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

void rotate_all(const Rotation& r, const float* x, Into y) {
  const auto half = static_cast<std::size_t>(r.head_width / 2);
  const V sign = set(r.backward ? -1.0F : 1.0F);
  float* out = y.data;
  const bool accumulate = y.accumulate;
  const auto put = [=](V v, float* at, std::size_t n) ASSAY_INLINE_BODY {
    store_first(accumulate ? hn::Add(v, load_first(at, n)) : v, at, n);
  };
  for (std::int64_t row = 0; row < r.batch * r.positions; ++row) {
    const auto n = static_cast<std::size_t>(row % r.positions);
    const float *cosines = r.cosines + n * half, *sines = r.sines + n * half;
    for (std::int64_t h = 0; h < r.heads; ++h, x += 2 * half, out += 2 * half)
      in_lanes(half, [=](std::size_t i, std::size_t count) ASSAY_INLINE_BODY {
        const V c = load_first(cosines + i, count);
        const V s = hn::Mul(load_first(sines + i, count), sign);
        const V a = load_first(x + i, count), b = load_first(x + half + i, count);
        put(hn::NegMulAdd(b, s, hn::Mul(a, c)), out + i, count);
        put(hn::MulAdd(a, s, hn::Mul(b, c)), out + half + i, count);
      });
  }
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(rotate_all);

void rotate(const Rotation& rotation, const float* x, Into y) {
  HWY_DYNAMIC_DISPATCH(rotate_all)(rotation, x, y);
}

}  // namespace assay
#endif
