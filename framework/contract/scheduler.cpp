#include <fmt/format.h>

#include "contract/support.h"

namespace assay {
namespace {

constexpr std::int64_t kSteps = 400;
constexpr double kPeak = 0.1;

void check_values(const Scheduler& scheduler, Failures& failures) {
  std::vector<double> forwards, backwards(kSteps);
  for (std::int64_t step = 0; step < kSteps; ++step)
    forwards.push_back(scheduler.learning_rate(step));
  for (std::int64_t step = kSteps - 1; step >= 0; --step)
    backwards[static_cast<std::size_t>(step)] = scheduler.learning_rate(step);
  if (!same_bits(std::span<const double>(forwards), std::span<const double>(backwards)))
    failures.push_back(
        "the learning rate depends on what was asked before: it must be a function of the step "
        "alone");

  for (std::size_t step = 0; step < forwards.size(); ++step)
    if (!std::isfinite(forwards[step]) || forwards[step] < 0) {
      failures.push_back(fmt::format("update {} has learning rate {}", step, forwards[step]));
      break;
    }
  if (!(forwards[0] > 0))
    failures.push_back("update 0 has no learning rate, so that it changes nothing");

  const double end = scheduler.learning_rate(kSteps);
  if (!std::isfinite(end) || end < 0)
    failures.push_back(fmt::format("after the end the learning rate is {}", end));
  for (const std::int64_t beyond : {kSteps + 1, kSteps + 77, 100 * kSteps})
    if (scheduler.learning_rate(beyond) != end) {
      failures.push_back(
          fmt::format("after the end the learning rate still changes: {} at {}, {} at {}", end,
                      kSteps, scheduler.learning_rate(beyond), beyond));
      break;
    }
}

}  // namespace

Failures check_scheduler(const Make<Scheduler>& make, Failures failures) {
  attempt(failures, "learning rates are a function of the step", [&] {
    check_values(*make({kSteps, kPeak}), failures);
  });
  return failures;
}

}  // namespace assay
