// Gradients of a model against differences, and from several threads.
#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "base/parallel.h"
#include "contract/model_subject.h"

namespace assay {
namespace {

constexpr int kDirections = 2;  // per parameter

/// A loss of any shape of logits: their sum with fixed random factors.
struct LinearLoss {
  std::vector<float> factors;
  double value = 0, noise = 0;  // in double; how far rounding of the logits can move it
  std::vector<float> gradient;
};

LinearLoss run(ModelSubject& subject, const Batch& batch, bool backward) {
  Tape tape(backward);
  LinearLoss loss;
  loss.gradient.assign(subject.parameters.buffer().size(), 0);
  Pass pass(tape, subject.parameters,
            backward ? std::span<float>(loss.gradient) : std::span<float>(), Mode::train,
            Random(1, "contract"));
  const Tensor logits = subject.model->forward(batch, pass).logits;
  loss.factors = normal_numbers(static_cast<std::size_t>(logits.elements()), Random(4, "factors"));
  double squares = 0;
  for (std::size_t i = 0; i < loss.factors.size(); ++i) {
    const double term = static_cast<double>(loss.factors[i]) * logits.values()[i];
    loss.value += term;
    squares += term * term;
  }
  loss.noise = 1e-6 * std::sqrt(squares);
  if (backward) {
    tape.backward(sum(multiply(logits, tape.constant(logits.shape(), loss.factors))));
    pass.complete_gradients();
  }
  return loss;
}

/// Moves one parameter along random signs, and compares.
void check_parameter(ModelSubject& subject, const Batch& batch, ParameterId id, LinearLoss& loss,
                     Failures& failures) {
  const std::string& path = subject.parameters.info(id).path;
  const std::span<float> values = subject.parameters.values(id);
  const std::vector<float> start(values.begin(), values.end());
  const std::span<const float> gradient = subject.parameters.slice(loss.gradient, id);
  double squares = 0;
  for (const float g : gradient) squares += static_cast<double>(g) * g;

  for (int number = 0; number < kDirections; ++number) {
    const Random draw = Random(5, path).with(std::to_string(number));
    std::vector<float> direction(start.size());
    double derivative = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      direction[i] = draw.below(i, 2) == 0 ? -1.0F : 1.0F;
      derivative += static_cast<double>(gradient[i]) * direction[i];
    }
    double difference = 0;
    const bool agrees = agrees_with_differences(
        derivative, std::sqrt(squares), loss.noise, difference, [&](double step) {
          for (std::size_t i = 0; i < start.size(); ++i)
            values[i] = static_cast<float>(start[i] + step * direction[i]);
          return run(subject, batch, false).value;
        });
    std::copy(start.begin(), start.end(), values.begin());
    if (!agrees)
      return failures.push_back(
          fmt::format("the gradient of '{}' is wrong: {} along a direction, by differences {}",
                      path, derivative, difference));
  }
}

}  // namespace

void check_gradients(const Make<Model>& make, Failures& failures) {
  ModelSubject subject(make);
  const Batch batch = subject.sample(2).batch();
  LinearLoss loss = run(subject, batch, true);
  for (std::int32_t i = 0; i < subject.parameters.size(); ++i)
    check_parameter(subject, batch, {i}, loss, failures);
}

void check_gradient_threads(const Make<Model>& make, Failures& failures) {
  ModelSubject subject(make);
  const Batch batch = subject.sample(2).batch();
  const std::vector<float> alone = run(subject, batch, true).gradient;
  for (const int threads : {1, 3}) {
    std::vector<float> gradient;
    Pool(threads).run([&] { gradient = run(subject, batch, true).gradient; });
    if (!same_bits(gradient, alone))
      failures.push_back(fmt::format("a pool of {} gives another gradient than no pool", threads));
  }
}

}  // namespace assay
