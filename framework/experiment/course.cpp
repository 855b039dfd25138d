#include "experiment/course.h"

#include <fmt/format.h>

#include <utility>

namespace assay {

Course::Course(Session& session, const ComposedExperiment& composed, const AdaptiveSweep& sweep,
               std::int64_t retries)
    : session_(session),
      composed_(composed),
      sweep_(sweep),
      retries_(retries),
      count_(sweep.search ? static_cast<std::size_t>(*sweep.options.trials)
                          : composed.trials.size()),
      trials_(session, sweep),
      plan_(session, sweep) {
  if (sweep.pruner) rungs_.emplace(session, sweep, trials_);
  if (sweep.search) search_ = sweep.make_search(composed);
}

ProposedTrial Course::proposed(std::size_t trial, const SearchPoint& point) {
  ComposedExperiment one;
  if (!search_) one.trials = {composed_.trials[trial]};
  auto proposed = propose(sweep_, search_ ? composed_ : one, {point}, session_.request(),
                          session_.registry(), session_.materials());
  return std::move(proposed.front());
}

void Course::adopt(ProposedTrial proposed) {
  TrialState& trial = trials_.add();
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
      if (!plan_.is_open() && session_.name().empty())
        session_.begin(run.setup.name, true, retries_);
      std::vector<PlannedRun> one;
      one.push_back(std::move(run));
      known = by_hash_.emplace(hash, session_.add(std::move(one))).first;
    }
    trial.runs.push_back(known->second);
  }
  const auto first = first_with_.try_emplace(trial.runs, trials_.size() - 1).first;
  if (first->second + 1 < trials_.size()) trial.same_as = first->second;
}

void Course::open_plan() {
  plan_.open();
  const auto per_trial = static_cast<std::int64_t>(search_ ? composed_.trials.size() : 1);
  const std::int64_t runs = static_cast<std::int64_t>(count_) * per_trial;
  session_.announce(runs, runs * session_.runs().front().steps);
}

std::string Course::end_reason() const {
  const StopOptions& stop = sweep_.stop;
  const FrozenPlan& decided = plan_.decided();
  const std::size_t leader = trials_.best();
  if (stop.target && trials_[leader].value <= trials_.shown(*stop.target))
    return fmt::format("the target of {} is reached", *stop.target);
  if (stop.patience && trials_.size() - 1 - leader >= static_cast<std::size_t>(*stop.patience))
    return fmt::format("{} trials brought nothing better", trials_.size() - 1 - leader);
  if (stop.runs && session_.runs().size() >= static_cast<std::size_t>(*stop.runs))
    return fmt::format("there are {} runs", session_.runs().size());
  if (decided.ended_after == static_cast<std::int64_t>(trials_.size()))
    return decided.ended_because;
  // A decision of the clock is made once: one that is continued ends where it ended.
  if (stop.after && decided.ended_because.empty() && plan_.seconds() >= stop.after->amount)
    return fmt::format("{} have passed", duration_text(*stop.after));
  return {};
}

void Course::end(const std::string& why) {
  if (!why.empty() && trials_.size() < count_) {
    plan_.decided().ended_after = static_cast<std::int64_t>(trials_.size());
    plan_.decided().ended_because = why;
    plan_.write();
    session_.reporter().note(session_.name(), fmt::format("ends after {} of {} trials: {}",
                                                          trials_.size(), count_, why));
  }
  if (const std::string text = trials_.best_text(); !text.empty())
    session_.reporter().note(session_.name(), text);
}

}  // namespace assay
