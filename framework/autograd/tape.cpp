#include "autograd/tape.h"

#include <algorithm>
#include <cassert>

#include "tensor/kernels/elementwise.h"

namespace assay {

Tape::Tape(bool recording) : recording_(recording) {}
Tape::~Tape() = default;

Tensor Tape::constant(const Shape& shape, std::span<const float> values) {
  const Tensor x = result(shape, {});
  assert(static_cast<std::int64_t>(values.size()) == shape.elements());
  std::copy(values.begin(), values.end(), x.slot().data);
  return x;
}

Tensor Tape::variable(const Shape& shape, float* values, float* gradient) {
  auto* slot = new (arena_.take(sizeof(TensorSlot))) TensorSlot;
  slot->tape = this;
  slot->data = values;
  slot->shape = shape;
  if (recording_) slot->gradient = gradient;
  slot->needs_gradient = slot->gradient != nullptr;
  return Tensor(slot);
}

Tensor Tape::result(const Shape& shape, std::initializer_list<Tensor> inputs) {
  const Tensor y = view(shape, floats(shape.elements()), inputs);
  return y;
}

Tensor Tape::view(const Shape& shape, float* values, std::initializer_list<Tensor> inputs) {
  const Tensor y = variable(shape, values, nullptr);
  for (const Tensor& input : inputs) {
    if (!input) continue;
    assert(input.slot().tape == this);
    y.slot().needs_gradient |= recording_ && input.needs_gradient();
  }
  return y;
}

Tape::GradientTarget Tape::gradient_of(Tensor x) {
  TensorSlot& slot = x.slot();
  if (!slot.gradient) slot.gradient = floats(slot.shape.elements());
  const bool accumulate = slot.has_gradient;
  slot.has_gradient = true;
  return {slot.gradient, accumulate};
}

void Tape::pass_on_gradient(Tensor y, Tensor x) {
  TensorSlot& from = y.slot();
  TensorSlot& to = x.slot();
  if (!to.needs_gradient) return;
  if (to.gradient) {
    const GradientTarget target = gradient_of(x);
    copy(y.gradient(), Into{target.data, target.accumulate});
    return;
  }
  to.gradient = from.gradient;
  to.has_gradient = true;
  from.gradient = nullptr;
  from.has_gradient = false;
}

void Tape::backward(Tensor loss, float seed) {
  assert(loss.elements() == 1);
  if (!loss.needs_gradient()) return;
  const GradientTarget target = gradient_of(loss);
  *target.data = target.accumulate ? *target.data + seed : seed;
  for (StepBase* step = last_; step; step = step->previous)
    if (step->result->has_gradient) step->run(step);
  last_ = nullptr;
}

void Tape::reset() {
  arena_.reset();
  last_ = nullptr;
  flops_ = 0;
}

}  // namespace assay
