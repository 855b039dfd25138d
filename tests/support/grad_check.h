// Checks the backward pass of an operation against differences of its forward pass:
//
//   check_gradients({random_input({3, 4}, 1), random_input({4, 2}, 2)},
//                   [](const std::vector<Tensor>& in) { return matmul(in[0], in[1]); });
//
// The scalar is a sum of outputs with fixed random weights, taken in double. Its derivative comes
// from central differences at h and 2 h with the error of order h^2 cancelled (Richardson, 1911).
// With h = 1/32 what is left is about h^4 / 30 of the fifth derivative (3e-8) and the rounding of
// float32 outputs over h (2e-6 each); the tolerance of 2e-4 times the largest gradient (at least 1)
// leaves room for sums of some hundred outputs.
//
// The operation is applied to the inputs and, twice, to copies of them in the same pass, so that
// gradients are both written and added, to leaves and to inner tensors.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "base/random.h"

namespace assay {

struct CheckedInput {
  Shape shape;
  std::vector<float> values;
};

/// Standard normal numbers, the same for the same seed.
inline CheckedInput random_input(const Shape& shape, std::uint64_t seed) {
  const Random random(seed, "input");
  CheckedInput input = {shape, std::vector<float>(static_cast<std::size_t>(shape.elements()))};
  for (std::size_t i = 0; i < input.values.size(); ++i)
    input.values[i] = static_cast<float>(random.normal(i));
  return input;
}

using CheckedOperation = std::function<Tensor(const std::vector<Tensor>&)>;

inline void check_gradients(std::vector<CheckedInput> inputs, const CheckedOperation& operation) {
  constexpr double kStep = 1.0 / 32, kTolerance = 2e-4;
  const Random random(7, "weights of the outputs");

  Tape plain(false);
  const auto weighted_sum = [&] {
    plain.reset();
    std::vector<Tensor> tensors;
    for (CheckedInput& input : inputs)
      tensors.push_back(plain.variable(input.shape, input.values.data(), nullptr));
    const Tensor y = operation(tensors);
    double total = 0;
    for (std::size_t i = 0; i < y.values().size(); ++i)
      total += double{y.values()[i]} * static_cast<float>(random.normal(i));
    return total;
  };

  Tape tape;
  std::vector<std::vector<float>> gradients;
  std::vector<Tensor> leaves, copies;
  for (CheckedInput& input : inputs) {
    gradients.emplace_back(input.values.size(), 1e30F);  // must be overwritten
    leaves.push_back(tape.variable(input.shape, input.values.data(), gradients.back().data()));
    copies.push_back(scale(leaves.back(), 1.0F));
  }
  const auto loss_of = [&](const std::vector<Tensor>& in) {
    const Tensor y = operation(in);
    std::vector<float> weights(y.values().size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = static_cast<float>(random.normal(i));
    return sum(multiply(y, tape.constant(y.shape(), weights)));
  };
  tape.backward(add(add(loss_of(leaves), loss_of(copies)), loss_of(copies)), 1.0F / 3);

  for (std::size_t k = 0; k < inputs.size(); ++k) {
    double largest = 1;
    for (const float g : gradients[k]) largest = std::max(largest, std::abs(double{g}));
    for (std::size_t i = 0; i < inputs[k].values.size(); ++i) {
      float& value = inputs[k].values[i];
      const float before = value;
      const auto difference = [&](double h) {  // divided by the step that float32 really made
        value = static_cast<float>(before + h);
        const double up = weighted_sum(), above = value;
        value = static_cast<float>(before - h);
        const double down = weighted_sum(), below = value;
        value = before;
        return (up - down) / (above - below);
      };
      const double numeric = (4 * difference(kStep) - difference(2 * kStep)) / 3;
      ASSERT_NEAR(gradients[k][i], numeric, kTolerance * largest) << "input " << k << " at " << i;
    }
  }
}

}  // namespace assay
