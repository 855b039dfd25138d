// The course of an adaptive sweep: batch after batch, rung after rung.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "base/error.h"
#include "config/yaml.h"
#include "experiment/adaptive.h"
#include "experiment/frozen_plan.h"
#include "results/run_set.h"
#include "train/pace.h"

namespace assay {
namespace {

constexpr double kWorst = std::numeric_limits<double>::infinity();

struct TrialState {
  SearchPoint point;
  std::vector<std::size_t> runs;  // of the session; none of a trial in trouble
  std::optional<std::size_t>
      same_as;  // an earlier trial with these settings, which is not repeated
  bool failed = false;
  bool pruned = false;
  double value = kWorst;  // less is better
  PrunerRun curve;
};

/// Where runs of a trial are to stop for a rung: the next evaluation. Nothing: it comes too late.
std::optional<std::int64_t> evaluation_at(const PlannedRun& run, std::int64_t step) {
  const auto& every = run.setup.evaluate.every;
  if (!every || !run.setup.train) return std::nullopt;
  const Request request{run.setup.train->context};
  const Pace pace = training_pace(*run.setup.train, *run.material->dataset, request);
  const std::int64_t interval = std::max<std::int64_t>(1, pace.steps(*every));
  const std::int64_t at = (step + interval - 1) / interval * interval;
  return at < run.steps ? std::optional(at) : std::nullopt;
}

class Course {
 public:
  Course(Session& session, const ComposedExperiment& composed, const AdaptiveSweep& sweep,
         std::int64_t retries)
      : session_(session), composed_(composed), sweep_(sweep), retries_(retries) {
    if (sweep.pruner) pruner_ = sweep.pruner.create({});
    if (sweep.search) search_ = sweep.make_search(composed);
  }

  void run() {
    if (const auto& confirm = session_.request().confirm;
        search_ && confirm && !confirm(*sweep_.options.trials))
      return;
    session_.tolerate_failures();
    began_ = Clock::now();
    const std::size_t count =
        search_ ? static_cast<std::size_t>(*sweep_.options.trials) : composed_.trials.size();
    for (std::int64_t batch = 0; trials_.size() < count; ++batch) {
      const std::size_t first = trials_.size();
      propose_batch(count);
      if (!train_batch(first)) return;
      for (std::size_t t = first; t < trials_.size(); ++t) {
        TrialState& trial = trials_[t];
        trial.value = trial.same_as ? trials_[*trial.same_as].value : value_of(trial);
        done_.push_back({trial.point, trial.value, batch});
      }
      if (const std::string why = end_reason(); !why.empty() && trials_.size() < count) {
        end(why, count);
        return;
      }
    }
    tell_best();
  }

 private:
  using Clock = std::chrono::steady_clock;

  double sign() const { return sweep_.metric.goal == "maximize" ? -1 : 1; }

  void propose_batch(std::size_t count) {
    const auto size =
        static_cast<std::size_t>(sweep_.batch(static_cast<std::int64_t>(count - trials_.size())));
    std::vector<ProposedTrial> proposed;
    if (search_) {
      proposed = proposed_for(composed_, search_->suggest(done_, static_cast<std::int64_t>(size)));
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        ComposedExperiment one;
        one.trials = {composed_.trials[trials_.size() + i]};
        for (ProposedTrial& trial : proposed_for(one, {SearchPoint()}))
          proposed.push_back(std::move(trial));
      }
    }
    refuse_if_hopeless(proposed);
    for (ProposedTrial& trial : proposed) adopt(std::move(trial));
    if (!begun_) open_plan(count);
    write_plan_if_longer();
  }

  std::vector<ProposedTrial> proposed_for(const ComposedExperiment& composed,
                                          std::vector<SearchPoint> points) {
    return propose(sweep_, composed, std::move(points), session_.request(), session_.registry(),
                   session_.materials());
  }

  // What is wrong with every trial of the first batch is wrong with the experiment.
  void refuse_if_hopeless(const std::vector<ProposedTrial>& proposed) const {
    const bool any = std::any_of(proposed.begin(), proposed.end(),
                                 [](const ProposedTrial& trial) { return trial.trouble.empty(); });
    if (any || !trials_.empty() || proposed.empty()) return;
    throw Error(ExitCode::usage, proposed.front().trouble);
  }

  // Equal runs are one run, also of two trials.
  void adopt(ProposedTrial proposed) {
    TrialState& trial = trials_.emplace_back();
    trial.point = std::move(proposed.point);
    if (!proposed.trouble.empty()) {
      trial.failed = true;
      session_.reporter().note(session_.name(),
                               fmt::format("trial {} is not run, and counts as the worst: {}",
                                           trials_.size(), proposed.trouble));
      return;
    }
    for (PlannedRun& run : proposed.runs) {
      const std::string hash = run.setup.config_hash;
      auto known = by_hash_.find(hash);
      if (known == by_hash_.end()) {
        if (!begun_ && session_.name().empty()) session_.begin(run.setup.name, true, retries_);
        std::vector<PlannedRun> one;
        one.push_back(std::move(run));
        known = by_hash_.emplace(hash, session_.add(std::move(one))).first;
      }
      trial.runs.push_back(known->second);
    }
    const auto first = first_with_.try_emplace(trial.runs, trials_.size() - 1).first;
    if (first->second + 1 < trials_.size()) trial.same_as = first->second;
  }

  // Before the first run starts.
  void open_plan(std::size_t count) {
    begun_ = true;
    folder_ = session_.runs().front().file.parent_path();
    plan_.name = session_.name();
    plan_.experiment = session_.runs().front().setup.experiment.string();
    plan_.arguments = session_.request().overrides;
    plan_.sweep = sweep_.frozen;
    if (auto then = read_plan(folder_); then && !session_.request().force) {
      if (write_yaml(then->sweep) == write_yaml(plan_.sweep)) {
        written_ = then->runs.size();
        seconds_before_ = then->seconds;
        plan_.ended_after = then->ended_after;
        plan_.ended_because = then->ended_because;
      } else {
        for (const std::string& line : plan_difference(*then, plan_))
          session_.reporter().note(session_.name(),
                                   "another plan than " + plan_in(folder_).string() + ": " + line);
      }
    }
    const auto per_trial = static_cast<std::int64_t>(search_ ? composed_.trials.size() : 1);
    const std::int64_t runs = static_cast<std::int64_t>(count) * per_trial;
    session_.announce(runs, runs * session_.runs().front().steps);
  }

  void write_plan_if_longer() {
    if (session_.runs().size() <= written_ && plan_.ended_because == ended_written_) return;
    plan_.runs.clear();
    for (const PlannedRun& run : session_.runs()) {
      plan_.runs.push_back(frozen(run));
      // A search finds its trials again; their configurations are in the result files.
      if (search_) plan_.runs.back().config = Value();
    }
    if (sweep_.stop.after) plan_.seconds = seconds();
    write_plan(folder_, plan_);
    written_ = plan_.runs.size();
    ended_written_ = plan_.ended_because;
  }

  // False: the runs were stopped before all had ended.
  bool train_batch(std::size_t first) {
    std::vector<std::size_t> alive;
    std::int64_t steps = 0;
    for (std::size_t t = first; t < trials_.size(); ++t) {
      if (trials_[t].failed || trials_[t].same_as) continue;
      alive.push_back(t);
      for (const std::size_t run : trials_[t].runs)
        steps = std::max(steps, session_.runs()[run].steps);
    }
    if (pruner_) {
      refuse_without_evaluations(alive);
      std::int64_t index = 0;
      for (const std::int64_t rung : pruner_->rungs(steps))
        if (!climb(rung, index++, first, alive)) return false;
    }
    std::vector<Leg> legs;
    for (const std::size_t t : alive)
      for (const std::size_t run : trials_[t].runs) add_leg(legs, {run, std::nullopt});
    session_.advance(legs);
    note_results(alive);
    return !interrupted_ && session_.may_start();
  }

  void refuse_without_evaluations(const std::vector<std::size_t>& alive) const {
    for (const std::size_t t : alive)
      for (const std::size_t run : trials_[t].runs) {
        const RunSetup& setup = session_.runs()[run].setup;
        if (!setup.train)
          throw Error(ExitCode::usage,
                      "sweep.prune: only runs that train step by step can be pruned");
        if (!setup.evaluate.every)
          throw Error(ExitCode::usage,
                      "sweep.prune: runs are compared when they are evaluated; write evaluate: "
                      "{every: 100}");
      }
  }

  static void add_leg(std::vector<Leg>& legs, const Leg& leg) {
    const bool known = std::any_of(legs.begin(), legs.end(),
                                   [&](const Leg& other) { return other.run == leg.run; });
    if (!known) legs.push_back(leg);
  }

  bool climb(std::int64_t rung, std::int64_t index, std::size_t first,
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
    note_results(alive);
    if (interrupted_ || !session_.may_start()) return false;
    alive.erase(std::remove_if(alive.begin(), alive.end(),
                               [&](std::size_t t) { return trials_[t].failed; }),
                alive.end());
    compared.erase(std::remove_if(compared.begin(), compared.end(),
                                  [&](std::size_t t) { return trials_[t].failed; }),
                   compared.end());
    decide(step, index, first, compared);
    alive.erase(std::remove_if(alive.begin(), alive.end(),
                               [&](std::size_t t) { return trials_[t].pruned; }),
                alive.end());
    return true;
  }

  void decide(std::int64_t step, std::int64_t index, std::size_t first,
              const std::vector<std::size_t>& compared) {
    std::vector<PrunerRun> running, earlier;
    for (const std::size_t t : compared) running.push_back(curve_to(trials_[t].curve, step));
    for (std::size_t t = 0; t < first; ++t)
      if (!trials_[t].curve.steps.empty()) earlier.push_back(trials_[t].curve);
    if (running.empty()) return;
    if (std::all_of(running.begin(), running.end(),
                    [](const PrunerRun& run) { return run.steps.empty(); }))
      throw Error(ExitCode::usage,
                  fmt::format("sweep.metric.name: pruning compares runs by a metric that they have "
                              "as they train, and they have none named {}",
                              sweep_.metric.name));
    const std::vector<bool> promoted = pruner_->promoted({step, index, running, earlier});
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

  // Runs that are whole by now, under another plan, stay so.
  bool prune(const TrialState& trial, std::int64_t step, double value) {
    bool all = true;
    for (const std::size_t run : trial.runs) {
      if (session_.result_of(run)->record.status == RunStatus::done) {
        all = false;
        continue;
      }
      session_.prune(run,
                     fmt::format("pruned by {} after {} of {} steps, at {} {:.6g}",
                                 sweep_.pruner.entry().facts.name, step, session_.runs()[run].steps,
                                 sweep_.metric.name, sign() * value));
    }
    return all;
  }

  static PrunerRun curve_to(const PrunerRun& curve, std::int64_t step) {
    PrunerRun shorter;
    for (std::size_t i = 0; i < curve.steps.size() && curve.steps[i] <= step; ++i) {
      shorter.steps.push_back(curve.steps[i]);
      shorter.values.push_back(curve.values[i]);
    }
    return shorter;
  }

  void note_results(const std::vector<std::size_t>& which) {
    for (const std::size_t t : which) {
      TrialState& trial = trials_[t];
      for (const std::size_t run : trial.runs) {
        const RunResult* result = session_.result_of(run);
        trial.failed |= result && result->record.status == RunStatus::failed;
        interrupted_ |= result && result->refused;
      }
      trial.curve = curve_of(trial);
    }
  }

  // Training metrics are keyed by the update that they belong to.
  std::vector<std::int64_t> completed(std::vector<std::int64_t> steps) const {
    if (sweep_.metric.name.starts_with("train/"))
      for (std::int64_t& step : steps) ++step;
    return steps;
  }

  // The mean over the runs of a trial, as far as all of them are.
  PrunerRun curve_of(const TrialState& trial) const {
    PrunerRun curve;
    curve.whole = true;
    for (std::size_t r = 0; r < trial.runs.size(); ++r) {
      const RunResult* result = session_.result_of(trial.runs[r]);
      if (!result) return {};
      const RunRecord& record = result->record;
      curve.whole &= record.status == RunStatus::done;
      const auto found = record.metrics.find(sweep_.metric.name);
      const Series series = found == record.metrics.end() ? Series() : found->second;
      if (r == 0) curve.steps = completed(series.steps);
      if (r == 0) curve.values.assign(series.steps.size(), 0);
      curve.steps.resize(std::min(curve.steps.size(), series.steps.size()));
      curve.values.resize(curve.steps.size());
      for (std::size_t i = 0; i < curve.steps.size(); ++i)
        curve.values[i] += sign() * series.values[i] / static_cast<double>(trial.runs.size());
    }
    for (double& value : curve.values)
      if (!std::isfinite(value)) value = kWorst;
    return curve;
  }

  double value_of(const TrialState& trial) const {
    if (trial.failed || trial.runs.empty()) return kWorst;
    if (trial.pruned) return trial.curve.values.empty() ? kWorst : trial.curve.values.back();
    double sum = 0;
    for (const std::size_t run : trial.runs) {
      const RunResult& result = *session_.result_of(run);
      const LoadedRun loaded{result.file, 0, result.record, session_.runs()[run].setup.resolved};
      sweep_.value->check(known_names({loaded}));
      const Outcome outcome = sweep_.value->evaluate(RunSubject(loaded));
      if (outcome.kind != Outcome::Kind::number || !std::isfinite(outcome.number)) return kWorst;
      sum += sign() * outcome.number;
    }
    return sum / static_cast<double>(trial.runs.size());
  }

  std::size_t best() const {
    const auto least = std::min_element(
        trials_.begin(), trials_.end(),
        [](const TrialState& a, const TrialState& b) { return a.value < b.value; });
    return static_cast<std::size_t>(least - trials_.begin());
  }

  double seconds() const {
    return seconds_before_ + std::chrono::duration<double>(Clock::now() - began_).count();
  }

  // Why the sweep ends after this batch; empty: it goes on.
  std::string end_reason() const {
    const StopOptions& stop = sweep_.stop;
    const std::size_t leader = best();
    if (stop.target && trials_[leader].value <= sign() * *stop.target)
      return fmt::format("the target of {} is reached", *stop.target);
    if (stop.patience && trials_.size() - 1 - leader >= static_cast<std::size_t>(*stop.patience))
      return fmt::format("{} trials brought nothing better", trials_.size() - 1 - leader);
    if (stop.runs && session_.runs().size() >= static_cast<std::size_t>(*stop.runs))
      return fmt::format("there are {} runs", session_.runs().size());
    if (plan_.ended_after == static_cast<std::int64_t>(trials_.size())) return plan_.ended_because;
    // A decision of the clock is made once: one that is continued ends where it ended.
    if (stop.after && plan_.ended_because.empty() && seconds() >= stop.after->amount)
      return fmt::format("{} have passed", duration_text(*stop.after));
    return {};
  }

  void end(const std::string& why, std::size_t count) {
    plan_.ended_after = static_cast<std::int64_t>(trials_.size());
    plan_.ended_because = why;
    write_plan_if_longer();
    session_.reporter().note(
        session_.name(), fmt::format("ends after {} of {} trials: {}", trials_.size(), count, why));
    tell_best();
  }

  void tell_best() {
    const std::size_t leader = best();
    if (trials_[leader].value == kWorst) return;
    const PlannedRun& run = session_.runs()[trials_[leader].runs.front()];
    session_.reporter().note(
        session_.name(), fmt::format("best of {} trials: {} {:.6g}, {}", trials_.size(),
                                     sweep_.metric.name, sign() * trials_[leader].value, run.run));
  }

  Session& session_;
  const ComposedExperiment& composed_;
  const AdaptiveSweep& sweep_;
  std::int64_t retries_;
  std::unique_ptr<Search> search_;
  std::unique_ptr<Pruner> pruner_;
  std::vector<TrialState> trials_;
  std::vector<SearchTrial> done_;
  std::map<std::string, std::size_t> by_hash_;                  // runs of the session
  std::map<std::vector<std::size_t>, std::size_t> first_with_;  // trial, by its runs
  bool interrupted_ = false;  // a run could not be written: nothing is known of it
  bool begun_ = false;
  std::filesystem::path folder_;
  FrozenPlan plan_;
  std::size_t written_ = 0;  // runs that the plan in the folder has
  std::string ended_written_;
  Clock::time_point began_;
  double seconds_before_ = 0;
};

}  // namespace

void run_adaptive(Session& session, const ComposedExperiment& composed) {
  if (!session.request().output.empty())
    throw Error(
        ExitCode::usage,
        fmt::format("-o {}: names the file of one run, but this experiment has several; use "
                    "--out FOLDER",
                    session.request().output.string()));
  Problems problems;
  const AdaptiveSweep sweep(composed, session.registry(), problems);
  const std::int64_t retries = sweep_retries(composed.sweep, problems);
  problems.raise();
  Course(session, composed, sweep, retries).run();
  session.close();
}

}  // namespace assay
