// A run that stays in memory between its stretches, so that it can go on as a copy of another, with
// other settings.
//
//   Member member(run);
//   member.follow({{0, "member=3", first}});
//   member.advance(50, options, reporter);
//   member.copy(better, {50, "member=3", changed});    // weights, optimizer, metrics and lineage
//   member.advance(std::nullopt, options, reporter);   // to its end, and into its file
//
// Everything that it is follows from its lineage, so a file that says it can be run again alone,
// and one that was lost is computed again. Its file is written now and then, for that to be short.
// Threads: one at a time. Errors: as execute.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiment/execute.h"
#include "experiment/lineage.h"
#include "experiment/plan.h"
#include "experiment/reporter.h"
#include "io/lock_file.h"
#include "results/record.h"

namespace assay {

/// A stretch of a lineage, ready to be trained.
struct PlannedStretch {
  std::int64_t from = 0;
  std::string run;
  std::shared_ptr<const PlannedRun> planned;  // setup, material and steps
};

class Member {
 public:
  /// run: whose name, file and hash it has.
  explicit Member(const PlannedRun& run) : run_(run) {}

  const std::string& name() const { return run_.run; }
  /// From the start.
  void follow(std::vector<PlannedStretch> stretches);
  /// Goes on from what a file holds, if that is a part of what it follows, and further than what it
  /// has.
  void adopt(const RunRecord& found);
  /// As a copy of another that is as far, from there on with the settings of a stretch.
  void copy(const Member& other, PlannedStretch next);
  /// The same before any of it is computed.
  void follow_copy(const Member& other, PlannedStretch next);

  /// Trains as far as so many completed steps, or to its end and into its file. What fails on the
  /// way waits: it may become a copy.
  Executed advance(std::optional<std::int64_t> until, const ExecuteOptions& options,
                   Reporter& reporter);
  bool failed() const { return failed_; }
  /// The settings that it has now.
  const PlannedRun& now() const { return *stretches_.back().planned; }
  /// Into its file, as far as it is.
  void save();
  /// If it was not for longer than a checkpoint may be old.
  void save_if_due();

 private:
  class Kept;
  Lineage lineage() const;
  void begin(const RunRecord& record);
  std::size_t stretch_at(std::int64_t step) const;
  void train_stretch(std::size_t stretch, std::optional<std::int64_t> until,
                     const ExecuteOptions& options, Reporter& reporter);
  bool is_due(std::int64_t step) const;
  void write(RunRecord record);
  RunRecord described(RunRecord record) const;

  using Clock = std::chrono::steady_clock;

  PlannedRun run_;
  std::vector<PlannedStretch> stretches_;
  RunRecord record_;  // with checkpoints
  bool begun_ = false, failed_ = false;
  std::optional<LockFile> lock_;
  Clock::time_point saved_ = Clock::now();
  std::int64_t saved_step_ = 0;
  double cost_ = 0;  // seconds that the last write took
};

}  // namespace assay
