// Recurrent layers as plain loops in double: what the fast kernels are checked against.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/kernels/recurrent_cell.h"

namespace assay::plain {

/// All that a recurrence is a function of, in double.
struct RecurrentNumbers {
  RecurrentCell cell;
  std::size_t rows, steps, units;
  bool reverse;
  std::vector<std::uint8_t> mask;                   // [B, N] or empty
  std::vector<double> x, w, bias, hidden, carried;  // hidden and carried: the initial state
};

struct RecurrentValues {
  std::vector<double> y, hidden, carried;
};

inline double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

/// The new state of one row from its old one.
inline void recurrent_step(const RecurrentNumbers& in, const double* x, double* h, double* c) {
  const std::size_t units = in.units;
  const auto gates = static_cast<std::size_t>(gates_of(in.cell));
  const auto product = [&](std::size_t column, const std::vector<double>& state) {
    double sum = in.bias.empty() ? 0 : in.bias[column];
    for (std::size_t k = 0; k < units; ++k) sum += state[k] * in.w[k * gates * units + column];
    return sum;
  };
  const std::vector<double> old(h, h + units);
  std::vector<double> reset(units), reset_state(units);
  if (in.cell == RecurrentCell::gru || in.cell == RecurrentCell::gru_reset_before)
    for (std::size_t i = 0; i < units; ++i) {
      reset[i] = sigmoid(x[i] + product(i, old));
      reset_state[i] = reset[i] * old[i];
    }
  for (std::size_t i = 0; i < units; ++i) {
    const auto sum = [&](std::size_t gate) {
      return x[gate * units + i] + product(gate * units + i, old);
    };
    if (in.cell == RecurrentCell::elman) {
      h[i] = std::tanh(sum(0));
    } else if (in.cell == RecurrentCell::lstm) {
      c[i] = sigmoid(sum(1)) * c[i] + sigmoid(sum(0)) * std::tanh(sum(2));
      h[i] = sigmoid(sum(3)) * std::tanh(c[i]);
    } else {
      const std::size_t column = 2 * units + i;
      const double inner = in.cell == RecurrentCell::gru ? reset[i] * product(column, old)
                                                         : product(column, reset_state);
      const double update = sigmoid(sum(1)), fresh = std::tanh(x[column] + inner);
      h[i] = (1 - update) * fresh + update * old[i];
    }
  }
}

inline RecurrentValues recurrent(const RecurrentNumbers& in) {
  const std::size_t units = in.units;
  const auto columns = static_cast<std::size_t>(gates_of(in.cell)) * units;
  RecurrentValues out = {std::vector<double>(in.rows * in.steps * units), in.hidden, in.carried};
  if (out.carried.empty()) out.carried.resize(in.rows * units);
  for (std::size_t row = 0; row < in.rows; ++row) {
    double *h = &out.hidden[row * units], *c = &out.carried[row * units];
    for (std::size_t step = 0; step < in.steps; ++step) {
      const std::size_t at = row * in.steps + (in.reverse ? in.steps - 1 - step : step);
      if (in.mask.empty() || in.mask[at]) recurrent_step(in, &in.x[at * columns], h, c);
      std::copy(h, h + units, &out.y[at * units]);
    }
  }
  return out;
}

}  // namespace assay::plain
