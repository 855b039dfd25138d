#include "experiment/member.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/stop.h"
#include "experiment/build.h"
#include "experiment/environment.h"
#include "experiment/run_keeper.h"
#include "experiment/run_parts.h"
#include "results/live_files.h"
#include "results/run_file.h"

namespace assay {

// Writes the file of a member within a long stretch.
class Member::Kept final : public Keeper {
 public:
  explicit Kept(Member& member) : member_(member) {}
  void advanced(const RunRecord&) override {}
  bool due(std::int64_t step) override { return member_.is_due(step); }
  void keep(const RunRecord& record, const Checkpoint& last, const Checkpoint* best) override {
    RunRecord now = record;
    now.checkpoints.clear();
    now.checkpoints["final"] = last;
    if (best && best->step != last.step) now.checkpoints["best"] = *best;
    member_.write(std::move(now));
  }

 private:
  Member& member_;
};

void Member::follow(std::vector<PlannedStretch> stretches) {
  stretches_ = std::move(stretches);
}

void Member::follow_copy(const Member& other, PlannedStretch next) {
  stretches_ = other.stretches_;
  stretches_.push_back(std::move(next));
}

void Member::copy(const Member& other, PlannedStretch next) {
  follow_copy(other, std::move(next));
  RunRecord copied = other.record_;
  copied.seconds = record_.seconds;
  copied.started = record_.started;
  copied.id = record_.id;
  record_ = std::move(copied);
  failed_ = false;
}

void Member::adopt(const RunRecord& found) {
  if (begun_ && found.steps <= record_.steps) return;
  if (!found.checkpoints.contains("final") || found.checkpoints.at("final").step != found.steps ||
      !same_up_to(read_lineage(found), lineage(), found.steps))
    return;
  record_ = found;
  record_.id = new_id();
  begun_ = true;
}

Lineage Member::lineage() const {
  Lineage lineage;
  for (const PlannedStretch& stretch : stretches_)
    lineage.push_back({stretch.from, stretch.run, stretch.planned->setup.resolved});
  return lineage;
}

std::size_t Member::stretch_at(std::int64_t step) const {
  std::size_t stretch = 0;
  while (stretch + 1 < stretches_.size() && stretches_[stretch + 1].from <= step) ++stretch;
  return stretch;
}

Executed Member::advance(std::optional<std::int64_t> until, const ExecuteOptions& options,
                         Reporter& reporter) {
  if (!lock_) lock_.emplace(lock_of(run_.file));
  const std::int64_t end = stretches_.back().planned->steps;
  const std::int64_t goal = until.value_or(end);
  bool stopped = false;
  while (!failed_ && !stopped && (!begun_ || record_.steps < goal)) {
    const std::size_t stretch = stretch_at(begun_ ? record_.steps : 0);
    const bool last = stretch + 1 == stretches_.size();
    const std::int64_t stop = last ? goal : std::min(goal, stretches_[stretch + 1].from);
    train_stretch(stretch, stop < end ? std::optional(stop) : std::nullopt, options, reporter);
    failed_ = record_.status == RunStatus::failed;
    stopped = record_.steps < stop;
  }
  if (until) {
    if (failed_ && !stop_requested())
      reporter.note(name(), "waits to be replaced: " + record_.message);
    if (stop_requested()) save();
    RunRecord shown = record_;
    shown.checkpoints.clear();
    if (failed_) shown.status = RunStatus::stopped;
    return {std::move(shown), run_.file.string()};
  }
  if (record_.status == RunStatus::stopped) {
    save();
    RunRecord shown = described(record_);
    shown.checkpoints.clear();
    return {std::move(shown), run_.file.string()};
  }
  RunRecord whole = described(std::move(record_));
  whole.digest = weights_digest(whole);
  LiveRun live(run_.file, {run_.setup.durability, run_.setup.checkpoint.keep});
  Executed executed = judge_and_finish(run_, options, std::move(whole), live);
  lock_.reset();
  return executed;
}

void Member::train_stretch(std::size_t stretch, std::optional<std::int64_t> until,
                           const ExecuteOptions& options, Reporter& reporter) {
  const PlannedRun& planned = *stretches_[stretch].planned;
  BuiltRun built(planned.setup, planned.material);
  Trainer& trainer = built.start();
  if (begun_) {
    trainer.restore(record_);
  } else {
    record_ = new_record(planned, built);
    note_environment(record_, options.threads);
    record_.id = new_id();
    begun_ = true;
  }
  const auto start = Clock::now();
  reporter.started(name(), trainer.steps());
  Kept keeper(*this);
  PlannedRun shown = planned;  // under the name of this run
  shown.run = run_.run;
  train(shown, built, trainer, record_, keeper, until, reporter);
  record_.seconds += seconds_since(start);
}

// The record under the name of this run, with the settings that it ended with.
RunRecord Member::described(RunRecord record) const {
  const RunRecord own = new_record(now());
  record.run = run_.run;
  record.name = own.name;
  record.config = own.config;
  record.config_hash = run_.setup.config_hash;
  record.origins = own.origins;
  record.plugins = own.plugins;
  record.seed = own.seed;
  record.tables[kLineage] = lineage_table(lineage());
  return record;
}

void Member::write(RunRecord record) {
  const auto start = Clock::now();
  record.status = RunStatus::stopped;
  record.message = fmt::format("kept after {} of {} steps; the command of its sweep continues",
                               record.steps, now().steps);
  saved_step_ = record.steps;
  write_run(run_.file, described(std::move(record)));
  saved_ = Clock::now();
  cost_ = std::chrono::duration<double>(saved_ - start).count();
}

void Member::save() {
  if (lock_ && record_.checkpoints.contains("final")) write(record_);
}

bool Member::is_due(std::int64_t step) const {
  const auto& every = run_.setup.checkpoint.every;
  if (every && !every->in_seconds())
    return step - saved_step_ >= static_cast<std::int64_t>(every->amount);
  const double wait = every ? every->amount : std::max(kDefaultCheckpoint, kLeastTimesCost * cost_);
  return seconds_since(saved_) >= wait;
}

void Member::save_if_due() {
  if (is_due(record_.steps)) save();
}

}  // namespace assay
