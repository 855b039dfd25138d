// Tiles of a matrix product that stay in registers, and the packing of an operand for them, once
// per Highway target.
#if defined(ASSAY_TENSOR_KERNELS_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_TENSOR_KERNELS_PRODUCT_INL_H_
#undef ASSAY_TENSOR_KERNELS_PRODUCT_INL_H_
#else
#define ASSAY_TENSOR_KERNELS_PRODUCT_INL_H_
#endif

#include <algorithm>

#include "tensor/kernels/product_kernel.h"
#include "tensor/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

// What the tiles of a block have in common.
struct Block {
  const Product* product;
  const float* b;  // rows of b, b_step apart, whole vectors
  std::size_t b_step;
  std::size_t depth;  // of this block
  std::size_t first_term, first_column;
  std::size_t last;  // columns of the last vector
};

template <std::size_t kRows, std::size_t kVectors>
HWY_INLINE void multiply_tile(const Block& block, std::size_t row) {
  const Product& p = *block.product;
  const auto lanes = [&block](std::size_t v)
                         ASSAY_INLINE_BODY { return v + 1 < kVectors ? kLanes : block.last; };
  float* c = p.c + row * p.ldc + block.first_column;
  V sum[kRows][kVectors];
  const bool first = block.first_term == 0;
  ASSAY_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    ASSAY_UNROLL
    for (std::size_t v = 0; v < kVectors; ++v) {
      sum[r][v] = zero();
      if (!first || p.accumulate) sum[r][v] = load_first(c + r * p.ldc + v * kLanes, lanes(v));
      if (first && p.bias)
        sum[r][v] =
            hn::Add(sum[r][v], load_first(p.bias + block.first_column + v * kLanes, lanes(v)));
      if (first && p.addend)
        sum[r][v] = hn::Add(
            sum[r][v],
            load_first(p.addend + (row + r) * p.ldc + block.first_column + v * kLanes, lanes(v)));
    }
  }
  const float* a = p.a.data + row * p.a.row_step + block.first_term * p.a.column_step;
  const float* b = block.b;
  for (std::size_t k = 0; k < block.depth; ++k, a += p.a.column_step, b += block.b_step) {
    V terms[kVectors];
    ASSAY_UNROLL
    for (std::size_t v = 0; v < kVectors; ++v) terms[v] = load(b + v * kLanes);
    ASSAY_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      const V x = set(a[r * p.a.row_step]);
      ASSAY_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(x, terms[v], sum[r][v]);
    }
  }
  ASSAY_UNROLL
  for (std::size_t r = 0; r < kRows; ++r) {
    ASSAY_UNROLL
    for (std::size_t v = 0; v < kVectors; ++v)
      store_first(sum[r][v], c + r * p.ldc + v * kLanes, lanes(v));
  }
}

// Rows [term, term + depth) of columns [column, column + columns) of b, side by side in whole
// vectors.
ASSAY_OUTLINED void pack(const Strided& b, std::size_t term, std::size_t depth, std::size_t column,
                         std::size_t columns, float* out) {
  const std::size_t step = (columns + kLanes - 1) / kLanes * kLanes;
  const float* from = b.data + term * b.row_step + column * b.column_step;
  if (b.column_step == 1) {
    for (std::size_t k = 0; k < depth; ++k)
      in_lanes(columns, [&](std::size_t j, std::size_t n) ASSAY_INLINE_BODY {
        store(load_first(from + k * b.row_step + j, n), out + k * step + j);
      });
    return;
  }
  if (step != columns) std::fill_n(out, depth * step, 0.0F);
  transpose_block(columns, depth, from, b.column_step, 1.0F, {out, step, false});
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
