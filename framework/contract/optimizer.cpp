#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/parallel.h"
#include "contract/support.h"
#include "nn/parameters.h"

namespace assay {
namespace {

constexpr double kRate = 0.05;
constexpr const char* kFrozen = "embedding/frozen";

/// Parameters of several sizes, one of them not trainable, one large enough to be cut into parts.
struct Subject {
  explicit Subject(const Make<Optimizer>& make) {
    parameters.add("layer0/weight", {5, 7}, Initialiser::normal(1));
    parameters.add("layer0/bias", {7}, Initialiser::normal(1));
    const ParameterId frozen = parameters.add(kFrozen, {3, 3}, Initialiser::normal(1));
    parameters.add("head/weight", {300, 301}, Initialiser::normal(1));
    parameters.set_trainable(frozen, false);
    parameters.initialise(1);
    optimizer = make({parameters});
  }

  /// Gradients are a function of the step; the gaps between parameters are 0, as they always are.
  void step(std::int64_t number, double rate) {
    std::vector<float> gradient(parameters.buffer().size());
    for (std::int32_t i = 0; i < parameters.size(); ++i) {
      const Random draw =
          Random(2, "gradient", static_cast<std::uint64_t>(number)).with(parameters.info({i}).path);
      const std::span<float> part = parameters.slice(gradient, {i});
      const std::vector<float> numbers = normal_numbers(part.size(), draw);
      std::copy(numbers.begin(), numbers.end(), part.begin());
    }
    optimizer->step(gradient, rate);
  }
  void steps(std::int64_t first, std::int64_t last, double rate) {
    for (std::int64_t number = first; number < last; ++number) step(number, rate);
  }
  std::vector<float> weights() const {
    const auto buffer = parameters.buffer();
    return {buffer.begin(), buffer.end()};
  }

  Parameters parameters;
  std::unique_ptr<Optimizer> optimizer;
};

void check_restoring(const Make<Optimizer>& make, Failures& failures) {
  Subject uninterrupted(make);
  uninterrupted.steps(0, 3, kRate);
  const State weights = saved(uninterrupted.parameters), state = saved(*uninterrupted.optimizer);
  uninterrupted.steps(3, 6, kRate);

  Subject restored(make);
  restore(restored.parameters, weights);
  restore(*restored.optimizer, state);
  restored.steps(3, 6, kRate);
  if (!same_bits(uninterrupted.weights(), restored.weights()))
    failures.push_back(
        "saved and restored after 3 of 6 steps, it ends with other weights than uninterrupted: "
        "state() "
        "leaves something out");
}

void check_what_moves(const Make<Optimizer>& make, Failures& failures) {
  Subject subject(make);
  const std::vector<float> before = subject.weights();
  subject.steps(0, 3, 0.0);
  if (!same_bits(before, subject.weights()))
    failures.push_back("a learning rate of 0 changes weights");

  subject.steps(0, 3, kRate);
  std::vector<float> after = subject.weights(), untouched = before;
  for (std::int32_t i = 0; i < subject.parameters.size(); ++i) {
    const std::string& path = subject.parameters.info({i}).path;
    const std::span<float> old = subject.parameters.slice(untouched, {i}),
                           now = subject.parameters.slice(after, {i});
    const bool moved = !same_bits(std::span<const float>(old), std::span<const float>(now));
    if (moved == (path == kFrozen))
      failures.push_back(fmt::format("'{}' is {}trainable, but {}", path, moved ? "not " : "",
                                     moved ? "it moves" : "stays where it is"));
    std::copy(now.begin(), now.end(), old.begin());  // what is left are the gaps
  }
  if (!same_bits(untouched, after))
    failures.push_back("it writes into the gaps between parameters");
}

void check_threads(const Make<Optimizer>& make, Failures& failures) {
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 3}) {
    Subject subject(make);
    Pool(threads).run([&] { subject.steps(0, 3, kRate); });
    results.push_back(subject.weights());
  }
  if (!same_bits(results[0], results[1]))
    failures.push_back("three threads give other weights than one");
}

}  // namespace

Failures check_optimizer(const Make<Optimizer>& make, Failures failures) {
  attempt(failures, "learning rate", [&] {
    const double rate = Subject(make).optimizer->learning_rate();
    if (!std::isfinite(rate) || rate <= 0)
      failures.push_back(fmt::format("its learning rate is {}", rate));
  });
  attempt(failures, "moves what is trainable, and only that",
          [&] { check_what_moves(make, failures); });
  attempt(failures, "same bits from 1 and 3 threads", [&] { check_threads(make, failures); });
  attempt(failures, "restored midway equals uninterrupted",
          [&] { check_restoring(make, failures); });
  return failures;
}

}  // namespace assay
