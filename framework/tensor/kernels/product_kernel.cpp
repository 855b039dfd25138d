#include "tensor/kernels/product_kernel.h"

#include <algorithm>

#include "tensor/kernels/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/product_kernel.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

// A register tile of rows x vectors of c: with 32 registers 6 x 4 sums, 4 vectors of b and one of
// a; with 16, 6 x 2.
constexpr std::size_t kTileRows = 6;
constexpr std::size_t kTileVectors = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON ? 4 : 2;
constexpr std::size_t kPanel = kTileVectors * kLanes;  // columns of b that are packed together
constexpr std::size_t kDepth =
    256;  // terms of a block: its part of b is used from the nearest caches

template <std::size_t kVectors>
HWY_NOINLINE void multiply_block(const Block& block) {
  // One column of vectors needs more rows, or each sum would wait for its last.
  constexpr std::size_t kRows = kVectors == 1 ? 2 * kTileRows : kTileRows;
  const std::size_t m = block.product->m;
  std::size_t row = 0;
  for (; row + kRows <= m; row += kRows) multiply_tile<kRows, kVectors>(block, row);
  for (; row + 4 <= m; row += 4) multiply_tile<4, kVectors>(block, row);
  for (; row + 2 <= m; row += 2) multiply_tile<2, kVectors>(block, row);
  if (row < m) multiply_tile<1, kVectors>(block, row);
}

void multiply_all(const Product& p, Scratch& memory) {
  float* packed = memory.floats(kDepth * kPanel);
  for (std::size_t column = 0; column < p.n; column += kPanel) {
    const std::size_t columns = std::min(kPanel, p.n - column);
    const std::size_t vectors = (columns + kLanes - 1) / kLanes;
    Block block;
    block.product = &p;
    block.first_column = column;
    block.last = columns - (vectors - 1) * kLanes;
    for (std::size_t term = 0; term < p.k || term == 0; term += kDepth) {
      block.first_term = term;
      block.depth = std::min(kDepth, p.k - term);
      // Packing saves nothing where the panel is all of b, and costs more than it saves for few
      // rows.
      const bool whole = p.b.column_step == 1 && columns == vectors * kLanes;
      if (whole && (p.m <= kTileRows || p.b.row_step == columns)) {
        block.b = p.b.data + term * p.b.row_step + column;
        block.b_step = p.b.row_step;
      } else {
        pack(p.b, term, block.depth, column, columns, packed);
        block.b = packed;
        block.b_step = vectors * kLanes;
      }
      switch (vectors) {
        case 1:
          multiply_block<1>(block);
          break;
        case 2:
          multiply_block<2>(block);
          break;
        case 3:
          multiply_block<kTileVectors == 4 ? 3 : 2>(block);
          break;
        default:
          multiply_block<kTileVectors>(block);
          break;
      }
    }
  }
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(multiply_all);

void multiply(const Product& product, Scratch& memory) {
  HWY_DYNAMIC_DISPATCH(multiply_all)(product, memory);
}

}  // namespace assay
#endif
