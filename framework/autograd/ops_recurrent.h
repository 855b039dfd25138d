// Recurrent layers, fused over time: one operation for all steps of a layer in one direction.
#pragma once

#include <cstdint>
#include <span>

#include "base/api.h"
#include "tensor/kernels/recurrent_cell.h"
#include "tensor/tensor.h"

namespace assay {

/// What a layer carries from step to step: [B, H] each; cell of an LSTM only.
struct RecurrentState {
  Tensor hidden, cell;
};

struct Recurrent {
  Tensor y;             // [B, N, H]
  RecurrentState last;  // after the last step: of the last real position
};

struct RecurrentInput {
  Tensor x;     // [B, N, G H]: input products of all steps, with their bias
  Tensor w;     // [H, G H]
  Tensor bias;  // [G H], beside the recurrent product; or empty
  /// Empty tensors: zeros.
  RecurrentState initial = {};
  /// [B, N], 1 = a real position, 0 = padding, which leaves the state as it is; or empty.
  std::span<const std::uint8_t> mask = {};
  bool reverse = false;  // from the last position to the first
};

/// G gates for each of H units, as tensor/kernels/recurrent_cell.h has them.
ASSAY_API Recurrent recurrent(RecurrentCell cell, const RecurrentInput& input);

}  // namespace assay
