// Transposition in blocks of 4 x 4, once per Highway target.
#if defined(ASSAY_TENSOR_KERNELS_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_TENSOR_KERNELS_TRANSPOSE_INL_H_
#undef ASSAY_TENSOR_KERNELS_TRANSPOSE_INL_H_
#else
#define ASSAY_TENSOR_KERNELS_TRANSPOSE_INL_H_
#endif

#include "tensor/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

struct TransposeInto {
  float* data;
  std::size_t stride;
  bool accumulate;
};

ASSAY_OUTLINED void transpose_plain(std::size_t rows, std::size_t columns, const float* a,
                                    std::size_t stride, float factor, TransposeInto out) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      float& to = out.data[c * out.stride + r];
      const float x = a[r * stride + c] * factor;
      to = out.accumulate ? to + x : x;
    }
}

#if HWY_TARGET != HWY_SCALAR  // one lane: no blocks

/// The four columns that each 128 bits of v hold a part of lie `step` apart in out.
template <class D>
HWY_INLINE void store_quads(D d, hn::Vec<D> v, float* out, std::size_t step, bool accumulate) {
  if constexpr (hn::MaxLanes(d) == 4) {
    hn::StoreU(accumulate ? hn::Add(hn::LoadU(d, out), v) : v, d, out);
  } else {
    const hn::Half<D> half;
    store_quads(half, hn::LowerHalf(half, v), out, step, accumulate);
    store_quads(half, hn::UpperHalf(half, v), out + hn::MaxLanes(half) / 4 * step, step,
                accumulate);
  }
}

/// Four rows of as many columns as d has lanes.
template <class D>
HWY_INLINE void transpose_four(D d, const float* from, std::size_t stride, float factor,
                               TransposeInto out) {
  const hn::RepartitionToWide<D> pair;
  const auto f = hn::Set(d, factor);
  const auto r0 = hn::LoadU(d, from), r1 = hn::LoadU(d, from + stride);
  const auto r2 = hn::LoadU(d, from + 2 * stride), r3 = hn::LoadU(d, from + 3 * stride);
  const auto low01 = hn::BitCast(pair, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(pair, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(pair, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(pair, hn::InterleaveUpper(d, r2, r3));
  const auto put = [=](auto column, std::size_t k) ASSAY_INLINE_BODY {
    store_quads(d, hn::Mul(f, hn::BitCast(d, column)), out.data + k * out.stride, 4 * out.stride,
                out.accumulate);
  };
  put(hn::InterleaveLower(pair, low01, low23), 0);
  put(hn::InterleaveUpper(pair, low01, low23), 1);
  put(hn::InterleaveLower(pair, high01, high23), 2);
  put(hn::InterleaveUpper(pair, high01, high23), 3);
}

#endif

/// out[c][r] = factor a[r][c], or is added to, for a [rows, columns] with the given strides of
/// rows.
ASSAY_OUTLINED void transpose_block(std::size_t rows, std::size_t columns, const float* a,
                                    std::size_t stride, float factor, TransposeInto out) {
#if HWY_TARGET == HWY_SCALAR
  transpose_plain(rows, columns, a, stride, factor, out);
#else
  const auto at = [&out](std::size_t c, std::size_t r) ASSAY_INLINE_BODY {
    return TransposeInto{out.data + c * out.stride + r, out.stride, out.accumulate};
  };
  // Down the rows first: the lines of out that are written at a time stay in the nearest cache.
  const std::size_t whole_rows = rows / 4 * 4;
  std::size_t c = 0;
  for (; c + kLanes <= columns; c += kLanes)
    for (std::size_t r = 0; r < whole_rows; r += 4)
      transpose_four(kFloats, a + r * stride + c, stride, factor, at(c, r));
  for (; c + 4 <= columns; c += 4)
    for (std::size_t r = 0; r < whole_rows; r += 4)
      transpose_four(hn::FixedTag<float, 4>(), a + r * stride + c, stride, factor, at(c, r));
  if (c < columns) transpose_plain(whole_rows, columns - c, a + c, stride, factor, at(c, 0));
  if (whole_rows < rows)
    transpose_plain(rows - whole_rows, columns, a + whole_rows * stride, stride, factor,
                    at(0, whole_rows));
#endif
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
