// Matrix products in float32: c = op(a) op(b) [+ bias] [+ addend], then GELU, on one or more
// matrices.
//
//   Matmul product;
//   product.m = rows, product.n = outputs, product.k = inputs;
//   product.a = x, product.b = w, product.c = y, product.bias = bias;
//   matmul(product, workspace);
//
// Row-major. A product of more than a fixed size is cut into tiles of c that run in parallel; the
// sum over k is never cut, so the result depends on neither threads nor alignment. After the first
// call with a shape, nothing is allocated.
#pragma once

#include <cstdint>

#include "base/api.h"
#include "tensor/kernels/workspace.h"

namespace assay {

struct Matmul {
  std::int64_t m = 0, n = 0, k = 0;
  const float* a = nullptr;  // [m, k]; [k, m] if transpose_a
  bool transpose_a = false;
  const float* b = nullptr;  // [k, n]; [n, k] if transpose_b
  bool transpose_b = false;
  float* c = nullptr;           // [m, n]; overlaps neither a nor b
  bool accumulate = false;      // add to what c holds
  const float* bias = nullptr;  // [n], added to each row; or null
  const float* addend =
      nullptr;  // [m, n] with the row stride of c, added; or null. REQUIRES not with accumulate
  bool gelu =
      false;  // c = gelu(all of the above), exact form. REQUIRES not with accumulate or addend
  std::int64_t lda = 0, ldb = 0, ldc = 0;  // row strides as stored; 0: dense
  std::int64_t batch =
      1;  // so many matrices of each of a, b, c, one after another and dense. bias is shared
};

/// REQUIRES m, n, k, batch >= 0; k = 0 gives the terms that are added. NaN and infinity propagate
/// as IEEE 754 has it.
ASSAY_API void matmul(const Matmul& product, Workspace& workspace);

}  // namespace assay
