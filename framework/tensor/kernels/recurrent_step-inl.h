// The products of one step of a recurrent layer, once per Highway target: few rows times a matrix
// that is packed for all steps.
#if defined(ASSAY_TENSOR_KERNELS_RECURRENT_STEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_TENSOR_KERNELS_RECURRENT_STEP_INL_H_
#undef ASSAY_TENSOR_KERNELS_RECURRENT_STEP_INL_H_
#else
#define ASSAY_TENSOR_KERNELS_RECURRENT_STEP_INL_H_
#endif

#include "tensor/kernels/gates-inl.h"
#include "tensor/kernels/product-inl.h"
#include "tensor/kernels/recurrent.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

// A panel of two vectors stays in the nearest cache while all rows go by: 16 sums in 32 registers,
// 8 in 16.
constexpr std::size_t kStepRows = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON ? 8 : 4;
constexpr std::size_t kStepVectors = 2;
constexpr std::size_t kStepPanel = kStepVectors * kLanes;

struct PackedMatrix {
  std::size_t inputs = 0, outputs = 0;
  const float* data = nullptr;
};

HWY_INLINE std::size_t packed_size(std::size_t inputs, std::size_t outputs) {
  return inputs * ((outputs + kLanes - 1) / kLanes * kLanes);
}

ASSAY_OUTLINED PackedMatrix pack_all(const Strided& b, std::size_t inputs, std::size_t outputs,
                                     float* out) {
  for (std::size_t column = 0; column < outputs; column += kStepPanel)
    pack(b, 0, inputs, column, std::min(kStepPanel, outputs - column), out + inputs * column);
  return {inputs, outputs, out};
}

template <std::size_t kVectors>
HWY_INLINE void multiply_panel(const Block& block) {
  const std::size_t m = block.product->m;
  std::size_t row = 0;
  for (; row + kStepRows <= m; row += kStepRows) multiply_tile<kStepRows, kVectors>(block, row);
  if constexpr (kStepRows > 4)
    for (; row + 4 <= m; row += 4) multiply_tile<4, kVectors>(block, row);
  for (; row + 2 <= m; row += 2) multiply_tile<2, kVectors>(block, row);
  if (row < m) multiply_tile<1, kVectors>(block, row);
}

/// c [m, outputs], rows ldc apart, = a [m, inputs] times the matrix, + bias or + c.
ASSAY_OUTLINED void multiply_packed(const PackedMatrix& b, const Product& product) {
  Block block;
  block.product = &product;
  block.depth = b.inputs;
  block.first_term = 0;
  for (std::size_t column = 0; column < b.outputs; column += kStepPanel) {
    const std::size_t columns = std::min(kStepPanel, b.outputs - column);
    const std::size_t vectors = (columns + kLanes - 1) / kLanes;
    block.b = b.data + b.inputs * column;
    block.b_step = vectors * kLanes;
    block.first_column = column;
    block.last = columns - (vectors - 1) * kLanes;
    if (vectors == kStepVectors)
      multiply_panel<kStepVectors>(block);
    else
      multiply_panel<1>(block);
  }
}

HWY_INLINE bool is_padding(const Recurrence& r, std::size_t row, std::size_t position) {
  return r.mask && !r.mask[row * r.steps + position];
}
HWY_INLINE std::size_t position_of(const Recurrence& r, std::size_t step) {
  return r.reverse ? r.steps - 1 - step : step;
}
HWY_INLINE void copy_row(std::size_t count, const float* from, float* to) {
  in_lanes(count, [=](std::size_t i, std::size_t n)
                      ASSAY_INLINE_BODY { store_first(load_first(from + i, n), to + i, n); });
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
