// A tensor is a handle on float32 numbers in row-major order, and on their gradient once there is
// one. The numbers belong to a Tape (or, for parameters, to Parameters); a Tensor is valid until
// its tape is reset. Copying copies the handle. Operations on tensors are free functions:
// autograd/ops.h.
#pragma once

#include <cstdint>
#include <span>

#include "base/api.h"
#include "tensor/shape.h"

namespace assay {

class Tape;

/// What a Tensor points to. For authors of operations; lives in the arena of its tape.
struct TensorSlot {
  Tape* tape = nullptr;
  float* data = nullptr;
  float* gradient = nullptr;    // null until a gradient arrives
  bool needs_gradient = false;  // something trainable is upstream
  bool has_gradient = false;    // gradient holds numbers (else the first one is written, not added)
  Shape shape;
};

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(TensorSlot* slot) : slot_(slot) {}

  explicit operator bool() const { return slot_ != nullptr; }
  const Shape& shape() const { return slot_->shape; }
  std::int64_t elements() const { return slot_->shape.elements(); }
  std::span<const float> values() const {
    return {slot_->data, static_cast<std::size_t>(elements())};
  }
  /// After Tape::backward: d(loss)/d(this); empty if none reached it.
  std::span<const float> gradient() const {
    return {slot_->gradient,
            slot_->has_gradient ? static_cast<std::size_t>(elements()) : std::size_t{0}};
  }
  bool needs_gradient() const { return slot_->needs_gradient; }
  TensorSlot& slot() const { return *slot_; }

 private:
  TensorSlot* slot_ = nullptr;
};

}  // namespace assay
