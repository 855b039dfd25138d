// The trials of a sweep that decides as it goes, and how good they are so far.
//
//   Trials trials(session, sweep);
//   trials.add().runs = {0, 1};         // of the session
//   trials.look_at({0});                // at what became of its runs
//   trials[0].curve.at(100);            // less is better, whatever the goal of the metric
//
// Threads: one calls.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "experiment/adaptive.h"
#include "experiment/session.h"

namespace assay {

inline constexpr double kWorstValue = std::numeric_limits<double>::infinity();

struct TrialState {
  SearchPoint point;
  std::vector<std::size_t> runs;  // of the session; none of a trial in trouble
  /// An earlier trial with these settings, which is not repeated.
  std::optional<std::size_t> same_as;
  bool failed = false;
  bool pruned = false;
  double value = kWorstValue;  // less is better
  PrunerRun curve;
};

class Trials {
 public:
  /// Both outlive it.
  Trials(const Session& session, const AdaptiveSweep& sweep) : session_(session), sweep_(sweep) {}

  TrialState& add() { return all_.emplace_back(); }
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  TrialState& operator[](std::size_t trial) { return all_[trial]; }
  const TrialState& operator[](std::size_t trial) const { return all_[trial]; }

  /// Reads from the session what became of the runs of these.
  void look_at(const std::vector<std::size_t>& which);
  /// Whether one of the runs looked at could not be written: nothing is known of it.
  bool interrupted() const { return interrupted_; }
  /// Settles what a trial is worth, when its runs are over.
  void judge(std::size_t trial);
  /// REQUIRES a trial.
  std::size_t best() const;
  /// A value as users know it, of a metric that may be one to maximise.
  double shown(double value) const { return sign() * value; }
  /// "best of 12 trials: val/loss 1.9, run"; empty if none is worth anything.
  std::string best_text() const;

 private:
  double sign() const { return sweep_.metric.goal == "maximize" ? -1 : 1; }
  PrunerRun curve_of(std::size_t trial) const;
  double value_of(const TrialState& trial) const;

  const Session& session_;
  const AdaptiveSweep& sweep_;
  std::vector<TrialState> all_;
  bool interrupted_ = false;
};

}  // namespace assay
