// The kinds of recurrent cells. With h the state before, x the input products (one column per gate
// and unit), w the recurrent matrix and b its bias:
//
//   elman             h' = tanh(x + h w + b)                                        (Elman, 1990)
//   lstm              i, f, o = sigmoid(..), g = tanh(..) of x + h w + b;  c' = f c + i g;
//                     h' = o tanh(c')        (Hochreiter and Schmidhuber, 1997; Gers et al., 2000)
//   gru               r, z = sigmoid(x + h w + b);  n = tanh(x + r (h w + b));
//                     h' = (1 - z) n + z h              (the form of PyTorch: reset after product)
//   gru_reset_before  the same with n = tanh(x + (r h) w + b)                  (Cho et al., 2014)
//
// Columns stand gate by gate: i, f, g, o; r, z, n.
#pragma once

#include <cstdint>

namespace assay {

enum class RecurrentCell { elman, lstm, gru, gru_reset_before };

/// Columns of input products per unit.
constexpr std::int64_t gates_of(RecurrentCell cell) {
  if (cell == RecurrentCell::elman) return 1;
  return cell == RecurrentCell::lstm ? 4 : 3;
}

}  // namespace assay
