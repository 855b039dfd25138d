// A matrix product on one thread, in Highway: for matmul.cpp.
#pragma once

#include <cstddef>

#include "tensor/kernels/workspace_impl.h"

namespace assay {

/// An operand whose element (row, column) stands at data[row row_step + column column_step]; one of
/// the steps is 1.
struct Strided {
  const float* data = nullptr;
  std::size_t row_step = 0, column_step = 1;
};

/// c [m, n] = a [m, k] b [k, n] + bias [n] + addend [m, n] + c, as far as they are there. c and
/// addend have rows ldc apart.
struct Product {
  std::size_t m = 0, n = 0, k = 0;
  Strided a, b;
  float* c = nullptr;
  std::size_t ldc = 0;
  const float* bias = nullptr;
  const float* addend = nullptr;
  bool accumulate = false;
};

/// Each element is a sum in the order of k: it depends on nothing but its row, its column and the
/// terms.
void multiply(const Product& product, Scratch& memory);

}  // namespace assay
