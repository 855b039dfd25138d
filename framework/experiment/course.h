// What every course of a sweep that decides as it goes has in common: its trials and their runs,
// the plan, and when it ends. adaptive_run.cpp takes it batch after batch, unordered.cpp as it
// comes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiment/adaptive.h"
#include "experiment/adaptive_plan.h"
#include "experiment/rungs.h"
#include "experiment/session.h"
#include "experiment/trials.h"

namespace assay {

class Course {
 public:
  /// All outlive it.
  Course(Session& session, const ComposedExperiment& composed, const AdaptiveSweep& sweep,
         std::int64_t retries);

  Session& session() { return session_; }
  const ComposedExperiment& composed() const { return composed_; }
  const AdaptiveSweep& sweep() const { return sweep_; }
  Trials& trials() { return trials_; }
  AdaptivePlan& plan() { return plan_; }
  /// Null: the trials are those of the axes.
  const Search* search() const { return search_.get(); }
  /// Null: none is pruned.
  Rungs* rungs() { return rungs_ ? &*rungs_ : nullptr; }
  /// Trials, unless it ends early.
  std::size_t count() const { return count_; }

  /// The next trial, or one after it. point: of a search.
  ProposedTrial proposed(std::size_t trial, const SearchPoint& point);
  /// Adds a trial and its runs. Equal runs are one run, also of two trials. One in trouble says so.
  void adopt(ProposedTrial proposed);
  /// Before the first run starts. REQUIRES a run.
  void open_plan();
  /// Why it ends now; empty: it goes on.
  std::string end_reason() const;
  /// Tells why it ended, if it did before its last trial, and what was best.
  void end(const std::string& why);

 private:
  Session& session_;
  const ComposedExperiment& composed_;
  const AdaptiveSweep& sweep_;
  std::int64_t retries_;
  std::unique_ptr<Search> search_;
  std::size_t count_;
  Trials trials_;
  AdaptivePlan plan_;
  std::optional<Rungs> rungs_;
  std::map<std::string, std::size_t> by_hash_;                  // runs of the session
  std::map<std::vector<std::size_t>, std::size_t> first_with_;  // trial, by its runs
};

/// Nothing waits for a batch: a trial is chosen when there is room for it, given those that are
/// over by then, and a run that comes to a rung is compared at once with those that came before.
void run_unordered(Course& course);

}  // namespace assay
