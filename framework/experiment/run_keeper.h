// When a run's rows and checkpoints are written while it trains: between the trainer, which knows
// steps, and the files (results/live_run.h).
//
// A run shorter than a second leaves no files but its last one: nothing is written before a second
// has passed or the first checkpoint is due.
#pragma once

#include <chrono>
#include <optional>

#include "config/duration.h"
#include "results/live_run.h"
#include "train/progress.h"

namespace assay {

/// Seconds between checkpoints, where nothing else is said.
inline constexpr double kDefaultCheckpoint = 30;
/// A checkpoint may take a fiftieth of the time.
inline constexpr double kLeastTimesCost = 50;

class RunKeeper final : public Keeper {
 public:
  /// every: steps, or seconds; not set: every 30 seconds unless that costs too much. record is the
  /// one that the trainer fills: its seconds are kept up to date, and its environment is noted
  /// before the first write.
  RunKeeper(LiveRun& live, std::optional<Duration> every, int threads, RunRecord& record);

  void advanced(const RunRecord& record) override;
  bool due(std::int64_t step) override;
  void keep(const RunRecord& record, const Checkpoint& last, const Checkpoint* best) override;

 private:
  using Clock = std::chrono::steady_clock;

  LiveRun& live_;
  std::optional<Duration> every_;
  int threads_;
  RunRecord& record_;
  double seconds_before_;  // of the run, before this start
  Clock::time_point start_ = Clock::now(), kept_ = start_;
  double cost_ = 0;  // seconds that the last checkpoint took
};

}  // namespace assay
