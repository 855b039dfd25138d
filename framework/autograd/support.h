// What the operations share: errors about shapes, checks of ids, and where a gradient goes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "autograd/tape.h"
#include "tensor/kernels/into.h"
#include "tensor/tensor.h"

namespace assay {

/// "[linear] (32, 64) x (65, 64): inner extents differ, 64 and 65". Error(plugin): an operation
/// that gets shapes which do not fit is a fault of the model.
[[noreturn]] void shape_error(std::string_view operation, const Shape& a, const Shape& b,
                              std::string_view reason);
[[noreturn]] void shape_error(std::string_view operation, const Shape& a, std::string_view reason);

/// Throws Error(data) naming the first id that is limit or more; what is "id" or "target".
void check_ids(std::string_view operation, std::string_view what, std::span<const std::int32_t> ids,
               std::int64_t limit);

/// The first `count` dimensions of a shape.
Shape leading(const Shape& shape, int count);

inline Tape& tape_of(Tensor x) {
  return *x.slot().tape;
}
inline float* data_of(Tensor x) {
  return x.slot().data;
}
/// Of a result whose gradient backward has reached.
inline const float* gradient_of(Tensor y) {
  return y.slot().gradient;
}

/// Where a kernel puts the gradient of x, which counts as there from now on; nowhere if x is empty
/// or needs none.
inline Into gradient_into(Tensor x) {
  if (!x || !x.needs_gradient()) return {};
  const Tape::GradientTarget target = tape_of(x).gradient_of(x);
  return {target.data, target.accumulate};
}

}  // namespace assay
