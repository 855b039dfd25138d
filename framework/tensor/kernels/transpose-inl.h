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

/// out[c][r] = factor a[r][c], or is added to, for a [rows, columns] with the given strides of
/// rows.
ASSAY_OUTLINED void transpose_block(std::size_t rows, std::size_t columns, const float* a,
                                    std::size_t stride, float factor, TransposeInto out) {
#if HWY_TARGET == HWY_SCALAR  // one lane: no blocks
  transpose_plain(rows, columns, a, stride, factor, out);
#else
  const hn::FixedTag<float, 4> quad;
  const hn::RepartitionToWide<decltype(quad)> pair;
  const auto f = hn::Set(quad, factor);
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    std::size_t c = 0;
    for (; c + 4 <= columns; c += 4) {
      const float* from = a + r * stride + c;
      const auto r0 = hn::LoadU(quad, from), r1 = hn::LoadU(quad, from + stride);
      const auto r2 = hn::LoadU(quad, from + 2 * stride), r3 = hn::LoadU(quad, from + 3 * stride);
      const auto low01 = hn::BitCast(pair, hn::InterleaveLower(quad, r0, r1));
      const auto low23 = hn::BitCast(pair, hn::InterleaveLower(quad, r2, r3));
      const auto high01 = hn::BitCast(pair, hn::InterleaveUpper(quad, r0, r1));
      const auto high23 = hn::BitCast(pair, hn::InterleaveUpper(quad, r2, r3));
      auto c0 = hn::Mul(f, hn::BitCast(quad, hn::InterleaveLower(pair, low01, low23)));
      auto c1 = hn::Mul(f, hn::BitCast(quad, hn::InterleaveUpper(pair, low01, low23)));
      auto c2 = hn::Mul(f, hn::BitCast(quad, hn::InterleaveLower(pair, high01, high23)));
      auto c3 = hn::Mul(f, hn::BitCast(quad, hn::InterleaveUpper(pair, high01, high23)));
      float* to = out.data + c * out.stride + r;
      if (out.accumulate) {
        c0 = hn::Add(hn::LoadU(quad, to), c0);
        c1 = hn::Add(hn::LoadU(quad, to + out.stride), c1);
        c2 = hn::Add(hn::LoadU(quad, to + 2 * out.stride), c2);
        c3 = hn::Add(hn::LoadU(quad, to + 3 * out.stride), c3);
      }
      hn::StoreU(c0, quad, to);
      hn::StoreU(c1, quad, to + out.stride);
      hn::StoreU(c2, quad, to + 2 * out.stride);
      hn::StoreU(c3, quad, to + 3 * out.stride);
    }
    if (c < columns)
      transpose_plain(4, columns - c, a + r * stride + c, stride, factor,
                      {out.data + c * out.stride + r, out.stride, out.accumulate});
  }
  if (r < rows)
    transpose_plain(rows - r, columns, a + r * stride, stride, factor,
                    {out.data + r, out.stride, out.accumulate});
#endif
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
