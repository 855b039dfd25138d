#include "nn/pass.h"

#include <algorithm>

#include "autograd/ops_basic.h"

namespace assay {

Pass::Pass(Tape& tape, const Parameters& parameters, std::span<float> gradients, Mode mode,
           const Random& random)
    : tape_(&tape), mode_(mode), random_(random) {
  tensors_.reserve(parameters.infos().size());
  for (const ParameterInfo& info : parameters.infos()) {
    // A tensor's numbers can be written; no operation writes to those of a leaf.
    auto* values = const_cast<float*>(parameters.buffer().data()) + info.offset;
    float* gradient =
        info.trainable && !gradients.empty() ? gradients.data() + info.offset : nullptr;
    tensors_.push_back(tape.variable(info.shape, values, gradient));
  }
}

void Pass::penalise(Tensor penalty) {
  penalty_ = penalty_ ? add(penalty_, penalty) : penalty;
}

void Pass::complete_gradients() const {
  for (const Tensor& parameter : tensors_) {
    const TensorSlot& slot = parameter.slot();
    if (slot.gradient && !slot.has_gradient)
      std::fill(slot.gradient, slot.gradient + parameter.elements(), 0.0F);
  }
}

}  // namespace assay
