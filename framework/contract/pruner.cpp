#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "contract/support.h"

namespace assay {
namespace {

constexpr std::int64_t kWholeRun = 1000;
constexpr double kNotFinite = std::numeric_limits<double>::infinity();

// Runs as far as a step, with an evaluation every ten.
std::vector<PrunerRun> runs_to(std::int64_t step, const std::vector<double>& levels, bool whole) {
  std::vector<PrunerRun> runs;
  for (const double level : levels) {
    PrunerRun& run = runs.emplace_back();
    run.whole = whole;
    run.trial = static_cast<std::int64_t>(runs.size()) - 1;
    for (std::int64_t s = 0; s <= step; s += 10) {
      run.steps.push_back(s);
      run.values.push_back(level + 1 / (1 + static_cast<double>(s)));
    }
  }
  return runs;
}

std::size_t going_on(const std::vector<bool>& promoted) {
  return static_cast<std::size_t>(std::count(promoted.begin(), promoted.end(), true));
}

void check_rungs(const Pruner& pruner, Failures& failures) {
  for (const std::int64_t steps : {1, 2, 7, 1000, 123457}) {
    std::int64_t last = 0;
    for (const std::int64_t rung : pruner.rungs(steps)) {
      if (rung <= last || rung >= steps)
        return failures.push_back(fmt::format(
            "of {} steps, rung {} after {}: wanted increasing ones, above 0 and below the last "
            "step",
            steps, rung, last));
      last = rung;
    }
  }
}

void check_decisions(const Pruner& pruner, const std::string& what,
                     const std::vector<double>& running, const std::vector<double>& earlier,
                     Failures& failures) {
  const auto whole = runs_to(kWholeRun, earlier, true);
  std::int64_t index = 0;
  for (const std::int64_t step : pruner.rungs(kWholeRun)) {
    auto here = runs_to(step, running, false);
    for (PrunerRun& run : here) run.trial += static_cast<std::int64_t>(whole.size());
    const Rung rung{step, index++, here, whole, kWholeRun};
    const std::vector<bool> promoted = pruner.promoted(rung);
    if (promoted.size() != running.size())
      return failures.push_back(
          fmt::format("{}: {} decisions on {} runs", what, promoted.size(), running.size()));
    if (promoted != pruner.promoted(rung))
      return failures.push_back(what + ": twice the same is not equal");
  }
}

}  // namespace

Failures check_pruner(const Make<Pruner>& make, Failures failures) {
  attempt(failures, "rungs increase and lie within the run",
          [&] { check_rungs(*make({}), failures); });
  attempt(failures, "a decision on each run, always the same", [&] {
    const auto pruner = make({});
    const std::vector<double> some = {3, 1, 4, 1.5, 5, 9, 2, 6};
    check_decisions(*pruner, "a first batch", some, {}, failures);
    check_decisions(*pruner, "a later batch", some, some, failures);
    check_decisions(*pruner, "one run", {1}, {}, failures);
    check_decisions(*pruner, "runs that are not finite", {kNotFinite, 2, kNotFinite}, some,
                    failures);
  });
  attempt(failures, "of equal runs not all are stopped", [&] {
    const auto pruner = make({});
    const std::vector<std::int64_t> rungs = pruner->rungs(kWholeRun);
    if (rungs.empty()) return;
    const auto equal = runs_to(rungs[0], std::vector<double>(8, 1), false);
    if (going_on(pruner->promoted({rungs[0], 0, equal, {}, kWholeRun})) == 0)
      failures.push_back("of eight equal runs none goes on");
  });
  return failures;
}

}  // namespace assay
