#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "experiment/course.h"

namespace assay {
namespace {

constexpr const char* kUnordered =
    "async: which trials there are, and which are pruned, depends on which runs are faster; the "
    "same command may give others";

class Unordered {
 public:
  explicit Unordered(Course& course) : course_(course), trials_(course.trials()) {}

  void run() {
    Session& session = course_.session();
    session.remark(kUnordered);
    session.reserve(course_.count() * (course_.search() ? course_.composed().trials.size() : 1));
    session.advance([&] { return next(); }, [&](const Leg& leg) { ended(leg); });
    if (course_.plan().is_open()) course_.plan().write();
    if (!trials_.interrupted() && session.may_start()) course_.end(why_);
  }

 private:
  // What is known of a trial beside its value.
  struct Standing {
    std::size_t rung = 0;
    std::size_t waiting = 0;          // legs under way
    bool last = false;                // they lead to the end
    bool settled = false;             // its value is known
    std::vector<std::size_t> before;  // trials that start when this one is settled
  };

  std::optional<Leg> next() {
    while (pending_.empty() && trials_.size() < course_.count() && why_.empty()) begin_trial();
    if (pending_.empty()) return std::nullopt;
    const Leg leg = pending_.front();
    pending_.pop_front();
    return leg;
  }

  void begin_trial() {
    const std::size_t t = trials_.size();
    std::vector<SearchPoint>& points = course_.plan().decided().points;
    if (course_.search() && points.size() <= t) points.push_back(suggested());
    ProposedTrial proposed = course_.proposed(t, course_.search() ? points[t] : SearchPoint());
    const std::string trouble = proposed.trouble;
    standings_.emplace_back();
    course_.adopt(std::move(proposed));
    refuse_if_hopeless(trouble);
    if (!course_.session().runs().empty()) keep_plan();
    start(t);
  }

  // As a search sees it, those under way are as good as half of the others.
  SearchPoint suggested() const {
    std::vector<double> values;
    for (std::size_t t = 0; t < trials_.size(); ++t)
      if (standings_[t].settled && std::isfinite(trials_[t].value))
        values.push_back(trials_[t].value);
    std::sort(values.begin(), values.end());
    const double middle = values.empty() ? 0 : values[values.size() / 2];
    std::vector<SearchTrial> done;
    for (std::size_t t = 0; t < trials_.size(); ++t)
      done.push_back({trials_[t].point, standings_[t].settled ? trials_[t].value : middle,
                      static_cast<std::int64_t>(t)});
    return course_.search()->suggest(done, 1).front();
  }

  // What is wrong with every one of the first trials is wrong with the experiment.
  void refuse_if_hopeless(const std::string& trouble) const {
    constexpr std::size_t kFirst = 8;
    if (course_.session().runs().empty() && trials_.size() >= std::min(kFirst, course_.count()))
      throw Error(ExitCode::usage, trouble);
  }

  void keep_plan() {
    constexpr double kSeconds = 1;
    AdaptivePlan& plan = course_.plan();
    if (!plan.is_open()) {
      course_.open_plan();
      course_.session().reporter().note(course_.session().name(), kUnordered);
    } else if (seconds_since(written_) < kSeconds) {
      return;
    }
    plan.write();
    written_ = std::chrono::steady_clock::now();
  }

  // One that shares a run with another waits until that is over.
  void start(std::size_t t) {
    TrialState& trial = trials_[t];
    if (trial.failed || (trial.same_as && standings_[*trial.same_as].settled)) return settle(t);
    for (std::size_t other = 0; other < t; ++other) {
      const auto& theirs = trials_[other].runs;
      const bool shares = std::any_of(trial.runs.begin(), trial.runs.end(), [&](std::size_t run) {
        return std::find(theirs.begin(), theirs.end(), run) != theirs.end();
      });
      if (shares && !standings_[other].settled) return standings_[other].before.push_back(t);
    }
    go_on(t);
  }

  void go_on(std::size_t t) {
    Standing& standing = standings_[t];
    std::vector<Leg> legs;
    if (course_.rungs()) legs = course_.rungs()->legs_to(t, standing.rung);
    standing.last = legs.empty();
    if (standing.last)
      for (const std::size_t run : trials_[t].runs) add_leg(legs, {run});
    standing.waiting = legs.size();
    for (const Leg& leg : legs) {
      if (trial_of_.size() <= leg.run) trial_of_.resize(leg.run + 1);
      trial_of_[leg.run] = t;
      pending_.push_back(leg);
    }
  }

  void ended(const Leg& leg) {
    const std::size_t t = trial_of_[leg.run];
    Standing& standing = standings_[t];
    if (--standing.waiting > 0) return;
    trials_.look_at({t});
    if (trials_.interrupted() || !course_.session().may_start()) return;
    if (trials_[t].failed || standing.last || was_pruned(t)) return settle(t);
    course_.rungs()->compare(t, standing.rung++);
    trials_[t].pruned ? settle(t) : go_on(t);
  }

  // Before, by a comparison that cannot be made again: others have come to the rung since.
  bool was_pruned(std::size_t t) {
    Session& session = course_.session();
    for (const std::size_t run : trials_[t].runs) {
      const RunRecord& record = session.result_of(run)->record;
      if (record.status != RunStatus::pruned) continue;
      trials_[t].pruned = true;
      session.prune(run, std::string(record.message));
    }
    return trials_[t].pruned;
  }

  void settle(std::size_t t) {
    trials_.judge(t);
    standings_[t].settled = true;
    if (why_.empty() && course_.plan().is_open()) why_ = course_.end_reason();
    for (const std::size_t waiting : std::exchange(standings_[t].before, {})) start(waiting);
  }

  Course& course_;
  Trials& trials_;
  std::vector<Standing> standings_;    // by trial
  std::vector<std::size_t> trial_of_;  // by run of the session
  std::deque<Leg> pending_;
  std::string why_;  // it ends
  std::chrono::steady_clock::time_point written_;
};

}  // namespace

void run_unordered(Course& course) {
  Unordered(course).run();
}

}  // namespace assay
