#include "experiment/rungs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "train/pace.h"

namespace assay {
namespace {

void drop(std::vector<std::size_t>& trials, const Trials& all, bool TrialState::*which) {
  trials.erase(
      std::remove_if(trials.begin(), trials.end(), [&](std::size_t t) { return all[t].*which; }),
      trials.end());
}

}  // namespace

std::optional<std::int64_t> evaluation_at(const PlannedRun& run, std::int64_t step) {
  const auto& every = run.setup.evaluate.every;
  if (!every || !run.setup.train) return std::nullopt;
  const Request request{run.setup.train->context};
  const Pace pace = training_pace(*run.setup.train, *run.material->dataset, request);
  const std::int64_t interval = std::max<std::int64_t>(1, pace.steps(*every));
  const std::int64_t at = (step + interval - 1) / interval * interval;
  return at < run.steps ? std::optional(at) : std::nullopt;
}

void add_leg(std::vector<Leg>& legs, const Leg& leg) {
  const bool known =
      std::any_of(legs.begin(), legs.end(), [&](const Leg& other) { return other.run == leg.run; });
  if (!known) legs.push_back(leg);
}

void refuse_without_evaluations(const Session& session, const std::vector<std::size_t>& runs,
                                const char* section) {
  for (const std::size_t run : runs) {
    const RunSetup& setup = session.runs()[run].setup;
    if (!setup.train)
      throw Error(
          ExitCode::usage,
          fmt::format("{}: only runs that train step by step can be compared on the way", section));
    if (!setup.evaluate.every)
      throw Error(ExitCode::usage, fmt::format("{}: runs are compared when they are evaluated; "
                                               "write evaluate: {{every: 100}}",
                                               section));
  }
}

PrunerRun curve_to(const PrunerRun& curve, std::int64_t step) {
  PrunerRun shorter;
  shorter.trial = curve.trial;
  for (std::size_t i = 0; i < curve.steps.size() && curve.steps[i] <= step; ++i) {
    shorter.steps.push_back(curve.steps[i]);
    shorter.values.push_back(curve.values[i]);
  }
  return shorter;
}

void refuse_without_metric(const std::vector<PrunerRun>& curves, const AdaptiveSweep& sweep,
                           const char* section) {
  if (std::any_of(curves.begin(), curves.end(),
                  [](const PrunerRun& run) { return !run.steps.empty(); }))
    return;
  throw Error(ExitCode::usage,
              fmt::format("sweep.metric.name: {} compares runs by a metric that they have as they "
                          "train, and they have none named {}",
                          section, sweep.metric.name));
}

Rungs::Rungs(Session& session, const AdaptiveSweep& sweep, Trials& trials)
    : session_(session), sweep_(sweep), trials_(trials), pruner_(sweep.pruner.create({})) {}

bool Rungs::climb_all(std::size_t first, std::vector<std::size_t>& alive) {
  std::vector<std::size_t> runs;
  for (const std::size_t t : alive)
    runs.insert(runs.end(), trials_[t].runs.begin(), trials_[t].runs.end());
  refuse_without_evaluations(session_, runs, "sweep.prune");
  for (const std::size_t run : runs) steps_ = std::max(steps_, session_.runs()[run].steps);
  std::int64_t index = 0;
  for (const std::int64_t rung : pruner_->rungs(steps_))
    if (!climb(rung, index++, first, alive)) return false;
  return true;
}

bool Rungs::climb(std::int64_t rung, std::int64_t index, std::size_t first,
                  std::vector<std::size_t>& alive) {
  std::vector<Leg> legs;
  std::vector<std::size_t> compared;
  std::int64_t step = 0;
  for (const std::size_t t : alive) {
    bool comes = true;
    for (const std::size_t run : trials_[t].runs) {
      const auto until = evaluation_at(session_.runs()[run], rung);
      comes &= until.has_value();
      if (!until) continue;
      step = std::max(step, *until);
      add_leg(legs, {run, until});
    }
    if (comes) compared.push_back(t);
  }
  if (compared.empty()) return true;
  session_.advance(legs);
  trials_.look_at(alive);
  if (trials_.interrupted() || !session_.may_start()) return false;
  drop(alive, trials_, &TrialState::failed);
  drop(compared, trials_, &TrialState::failed);
  std::vector<PrunerRun> earlier;
  for (std::size_t t = 0; t < first; ++t)
    if (!trials_[t].curve.steps.empty()) earlier.push_back(trials_[t].curve);
  decide(step, index, earlier, compared);
  drop(alive, trials_, &TrialState::pruned);
  return true;
}

void Rungs::decide(std::int64_t step, std::int64_t index, const std::vector<PrunerRun>& earlier,
                   const std::vector<std::size_t>& compared) {
  std::vector<PrunerRun> running;
  for (const std::size_t t : compared) running.push_back(curve_to(trials_[t].curve, step));
  if (running.empty()) return;
  refuse_without_metric(running, sweep_, "pruning");
  const std::vector<bool> promoted = pruner_->promoted({step, index, running, earlier, steps_});
  if (promoted.size() != compared.size())
    throw Error(ExitCode::plugin,
                fmt::format("pruner '{}': {} decisions on {} runs",
                            sweep_.pruner.entry().facts.name, promoted.size(), compared.size()));
  for (std::size_t i = 0; i < compared.size(); ++i) {
    if (promoted[i]) continue;
    TrialState& trial = trials_[compared[i]];
    trial.pruned = prune(trial, step, running[i].at(step));
  }
}

std::int64_t Rungs::steps_of(std::size_t trial) const {
  std::int64_t steps = 0;
  for (const std::size_t run : trials_[trial].runs)
    steps = std::max(steps, session_.runs()[run].steps);
  return steps;
}

std::vector<Leg> Rungs::legs_to(std::size_t trial, std::size_t rung) const {
  refuse_without_evaluations(session_, trials_[trial].runs, "sweep.prune");
  const std::vector<std::int64_t> rungs = pruner_->rungs(steps_of(trial));
  std::vector<Leg> legs;
  if (rung >= rungs.size()) return legs;
  for (const std::size_t run : trials_[trial].runs) {
    const auto until = evaluation_at(session_.runs()[run], rungs[rung]);
    if (!until) return {};
    add_leg(legs, {run, until});
  }
  return legs;
}

void Rungs::compare(std::size_t trial, std::size_t rung) {
  std::int64_t step = 0;
  for (const Leg& leg : legs_to(trial, rung)) step = std::max(step, *leg.until);
  std::vector<PrunerRun> others;
  for (std::size_t t = 0; t < trials_.size(); ++t)
    if (t != trial && !trials_[t].curve.steps.empty()) others.push_back(trials_[t].curve);
  steps_ = steps_of(trial);
  decide(step, static_cast<std::int64_t>(rung), others, {trial});
}

// Runs that are whole by now, under another plan, stay so.
bool Rungs::prune(const TrialState& trial, std::int64_t step, double value) {
  bool all = true;
  for (const std::size_t run : trial.runs) {
    if (session_.result_of(run)->record.status == RunStatus::done) {
      all = false;
      continue;
    }
    session_.prune(run,
                   fmt::format("pruned by {} after {} of {} steps, at {} {:.6g}",
                               sweep_.pruner.entry().facts.name, step, session_.runs()[run].steps,
                               sweep_.metric.name, trials_.shown(value)));
  }
  return all;
}

}  // namespace assay
