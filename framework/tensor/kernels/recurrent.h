// Recurrent layers over whole sequences: the loop over time in one call, forward and back.
//
// The matrix is packed once per call. What the way back needs is kept in a trace, whose steps stand
// in the order in which they are taken (from the last position on, if reversed), each with all its
// rows: the gradient of the recurrent matrix is then one product over all of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/kernels/into.h"
#include "tensor/kernels/recurrent_cell.h"
#include "tensor/kernels/workspace.h"

namespace assay {

/// B rows of N steps, H units of G gates.
struct Recurrence {
  RecurrentCell cell = RecurrentCell::elman;
  std::size_t rows = 0, steps = 0, units = 0;
  bool reverse = false;                // from the last position to the first
  const std::uint8_t* mask = nullptr;  // [B, N]: 0 = padding, where the state stays as it is
  const float* w = nullptr;            // [H, G H]
  const float* bias = nullptr;         // [G H], beside the product; or null
};

/// Uninitialised before the way forward.
struct RecurrentTrace {
  float* states = nullptr;  // [N + 1, B, H], the first of which is the initial one
  float* cells = nullptr;   // lstm: [N + 1, B, H]
  float* gates = nullptr;   // but for elman: [N, B, G H], after their functions
  float* inner = nullptr;   // but for elman: [N, B, H]: tanh(c'), h w + b of n, or r h
};

/// A state, or its gradient: hidden [B, H], and for lstm cell [B, H]. Null: zeros, or not wanted.
template <class T>
struct StatePair {
  T hidden = {}, cell = {};
};

/// x [B, N, G H] -> y [B, N, H] and the state after the last step. Reads no masked x.
void recurrent_forward(const Recurrence& r, const float* x, const StatePair<const float*>& initial,
                       const RecurrentTrace& trace, float* y, const StatePair<float*>& last,
                       Workspace& workspace);

/// From dy (or null) and the gradient of the last state: dx, the gradient of the initial state, and
/// that of the recurrent products, [N, B, G H] in the order of the trace.
void recurrent_backward(const Recurrence& r, const RecurrentTrace& trace, const float* dy,
                        const StatePair<const float*>& dlast, float* dproducts, Into dx,
                        const StatePair<Into>& dinitial, Workspace& workspace);

}  // namespace assay
