#include "experiment/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/run_set.h"

namespace assay {

void Trials::look_at(const std::vector<std::size_t>& which) {
  for (const std::size_t t : which) {
    TrialState& trial = all_[t];
    for (const std::size_t run : trial.runs) {
      const RunResult* result = session_.result_of(run);
      trial.failed |= result && result->record.status == RunStatus::failed;
      interrupted_ |= result && result->refused;
    }
    trial.curve = curve_of(t);
  }
}

// The mean over the runs of a trial, as far as all of them are.
PrunerRun Trials::curve_of(std::size_t t) const {
  const TrialState& trial = all_[t];
  // Training metrics are keyed by the update that they belong to.
  const std::int64_t ahead = sweep_.metric.name.starts_with("train/") ? 1 : 0;
  PrunerRun curve;
  curve.trial = static_cast<std::int64_t>(t);
  curve.whole = true;
  for (std::size_t r = 0; r < trial.runs.size(); ++r) {
    const RunResult* result = session_.result_of(trial.runs[r]);
    if (!result) return {};
    const RunRecord& record = result->record;
    curve.whole &= record.status == RunStatus::done;
    const auto found = record.metrics.find(sweep_.metric.name);
    const Series series = found == record.metrics.end() ? Series() : found->second;
    if (r == 0) curve.steps = series.steps;
    if (r == 0) curve.values.assign(series.steps.size(), 0);
    curve.steps.resize(std::min(curve.steps.size(), series.steps.size()));
    curve.values.resize(curve.steps.size());
    for (std::size_t i = 0; i < curve.steps.size(); ++i)
      curve.values[i] += sign() * series.values[i] / static_cast<double>(trial.runs.size());
  }
  for (std::int64_t& step : curve.steps) step += ahead;
  for (double& value : curve.values)
    if (!std::isfinite(value)) value = kWorstValue;
  return curve;
}

void Trials::judge(std::size_t trial) {
  TrialState& judged = all_[trial];
  judged.value = judged.same_as ? all_[*judged.same_as].value : value_of(judged);
}

double Trials::value_of(const TrialState& trial) const {
  if (trial.failed || trial.runs.empty()) return kWorstValue;
  if (trial.pruned) return trial.curve.values.empty() ? kWorstValue : trial.curve.values.back();
  double sum = 0;
  for (const std::size_t run : trial.runs) {
    const RunResult& result = *session_.result_of(run);
    const LoadedRun loaded{result.file, 0, result.record, session_.runs()[run].setup.resolved};
    sweep_.value->check(known_names({loaded}));
    const Outcome outcome = sweep_.value->evaluate(RunSubject(loaded));
    if (outcome.kind != Outcome::Kind::number || !std::isfinite(outcome.number)) return kWorstValue;
    sum += sign() * outcome.number;
  }
  return sum / static_cast<double>(trial.runs.size());
}

std::size_t Trials::best() const {
  const auto least =
      std::min_element(all_.begin(), all_.end(),
                       [](const TrialState& a, const TrialState& b) { return a.value < b.value; });
  return static_cast<std::size_t>(least - all_.begin());
}

std::string Trials::best_text() const {
  const TrialState& leader = all_[best()];
  if (leader.value == kWorstValue) return {};
  return fmt::format("best of {} trials: {} {:.6g}, {}", all_.size(), sweep_.metric.name,
                     shown(leader.value), session_.runs()[leader.runs.front()].run);
}

}  // namespace assay
