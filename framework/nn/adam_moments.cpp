#include "nn/adam_moments.h"

#include <cmath>

#include "tensor/kernels/update.h"

namespace assay {

AdamMoments::AdamMoments(Parameters& parameters)
    : parameters_(parameters),
      parts_(parameters),
      first_(parameters.buffer().size()),
      second_(first_.size()) {}

void AdamMoments::step(std::span<const float> gradient, const AdamRates& rates,
                       FunctionRef<Decay(const ParameterInfo&)> decay) {
  ++updates_;
  const auto t = static_cast<double>(updates_);
  AdamStep common;
  common.beta1 = static_cast<float>(rates.beta1);
  common.beta2 = static_cast<float>(rates.beta2);
  // Corrected for the rounded betas, which the moments are made with: the first update is exactly
  // the learning rate.
  const double correction1 = 1 - std::pow(double{common.beta1}, t);
  const double correction2 = 1 - std::pow(double{common.beta2}, t);
  common.step_size = static_cast<float>(rates.learning_rate / correction1);
  common.second_scale = static_cast<float>(1 / std::sqrt(correction2));
  common.epsilon = static_cast<float>(rates.epsilon);
  const std::span<float> weights = parameters_.buffer(), first = first_, second = second_;
  parts_.for_each([&](const ParameterPart& part) {
    AdamStep step = common;
    const Decay own = decay(parameters_.info(part.id));
    step.decoupled_decay = static_cast<float>(own.decoupled);
    step.l2 = static_cast<float>(own.l2);
    adam_update(step, part.of(weights), part.of(gradient), part.of(first), part.of(second));
  });
}

void AdamMoments::state(StateIo& io) {
  io.integer("updates", updates_);
  for (std::int32_t i = 0; i < parameters_.size(); ++i) {
    const std::string& path = parameters_.info({i}).path;
    io.reals("first_moment/" + path, parameters_.slice(first_, {i}));
    io.reals("second_moment/" + path, parameters_.slice(second_, {i}));
  }
}

}  // namespace assay
