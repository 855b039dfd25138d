// The plan.yaml of a sweep that decides as it goes: written before the first run starts, longer
// with every batch, and with the decisions that cannot be found again from result files.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "experiment/adaptive.h"
#include "experiment/frozen_plan.h"
#include "experiment/session.h"

namespace assay {

class AdaptivePlan {
 public:
  /// Both outlive it.
  AdaptivePlan(Session& session, const AdaptiveSweep& sweep) : session_(session), sweep_(sweep) {}

  bool is_open() const { return open_; }
  /// REQUIRES a run in the session. Takes over what a plan of the same sweep decided; says how
  /// another one differs.
  void open();
  /// Its decisions; after a change, write().
  FrozenPlan& decided() { return plan_; }
  const FrozenPlan& decided() const { return plan_; }
  void write();
  /// If there are more runs than it has.
  void write_if_longer();
  /// How long the sweep has been run, earlier starts too.
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  Session& session_;
  const AdaptiveSweep& sweep_;
  bool open_ = false;
  std::filesystem::path folder_;
  FrozenPlan plan_;
  std::size_t written_ = 0;  // runs that the plan in the folder has
  Clock::time_point began_ = Clock::now();
  double seconds_before_ = 0;
};

}  // namespace assay
