#include "experiment/execute.h"

#include <fmt/format.h>

#include <chrono>

#include "base/clock.h"
#include "base/error.h"
#include "config/yaml.h"
#include "experiment/build.h"
#include "experiment/environment.h"
#include "experiment/exactness.h"
#include "experiment/probe.h"
#include "experiment/run_keeper.h"
#include "experiment/run_parts.h"
#include "io/lock_file.h"
#include "results/digest.h"
#include "results/live_files.h"
#include "results/run_file.h"
#include "train/pace.h"

namespace assay {
namespace {

// Weights that learned from ids continue with the ids of the same tokenizer only.
void refuse_other_tokens(const PlannedRun& run, const RunRecord& before) {
  if (digest(before.tokenizer) == digest(run.material->tokenizer_state)) return;
  throw Error(ExitCode::data,
              fmt::format("{}: was begun with another tokenizer than the one that the data gives "
                          "now: the text has changed since; `assay run --force` begins anew",
                          run.file.string()));
}

// The weights that were best by another metric are gone: the best of one would stand beside the
// figures of the other.
void refuse_other_best(const PlannedRun& run, const RunRecord& before) {
  if (before.checkpoints.empty()) return;
  const Value config = read_yaml(before.config, run.file.string() + ": config");
  const Value* stated = config.at_path("checkpoint.best");
  const std::string then = stated ? stated->text() : CheckpointOptions().best;
  const std::string& now = run.setup.checkpoint.best;
  if (then == now) return;
  throw Error(
      ExitCode::usage,
      fmt::format("{}: checkpoint.best is {} now, and was {}: the weights that were best by "
                  "{} so far are not kept; continue with checkpoint.best={}, or begin anew "
                  "with `assay run --force`",
                  run.file.string(), now, then, now, then));
}

std::optional<Duration> checkpoint_interval(const PlannedRun& run, const BuiltRun& built) {
  const std::optional<Duration>& every = run.setup.checkpoint.every;
  if (!every || every->in_seconds() || !run.setup.train) return every;
  const Pace pace = training_pace(*run.setup.train, built.dataset(), built.train_request());
  return Duration(pace.steps(*every));
}

// Puts trainer and record where the file's last checkpoint is.
void continue_from_file(const PlannedRun& run, const ExecuteOptions& options, Trainer& trainer,
                        RunRecord& record, LiveRun& live, Reporter& reporter) {
  RunRecord before = read_run(run.file);
  refuse_other_tokens(run, before);
  refuse_other_best(run, before);
  note_environment(record, options.threads);
  std::string how = fmt::format("continued with {} threads", options.threads);
  if (const auto reasons = inexact_reasons(before, record); !reasons.empty()) {
    if (!options.inexact)
      throw Error(ExitCode::data,
                  fmt::format("{}: cannot be continued to the same bits:\n  {}\n--inexact "
                              "continues all the same and records that; `assay run --force` "
                              "begins anew",
                              run.file.string(), fmt::join(reasons, "\n  ")));
    how += fmt::format("; inexact: {}", fmt::join(reasons, "; "));
  }
  const std::int64_t reached = before.steps;
  Rows ahead = take_rows_ahead(before);
  if (!before.id.empty()) record.id = before.id;
  record.started = before.started;
  record.seconds = before.seconds;
  record.history = std::move(before.history);
  record.trajectories = before.trajectories;
  std::int64_t from = 0;
  if (!before.checkpoints.empty()) {
    trainer.restore(before);
    from = before.checkpoints.at("final").step;
  }
  record.steps = from;
  record.metrics = std::move(before.metrics);
  record.samples = std::move(before.samples);
  record.checkpoints = std::move(before.checkpoints);
  if (!options.goes_on) record.history.emplace_back(std::to_string(from), how);
  if (!options.change.empty()) record.history.emplace_back(std::to_string(from), options.change);
  live.continues(record, std::move(ahead), reached);
  if (options.goes_on) return;
  reporter.note(run.run, reached == from
                             ? fmt::format("continues after step {}", from)
                             : fmt::format("continues after step {}; {} more were done and are "
                                           "computed again",
                                           from, reached - from));
}

void report_deviation(const PlannedRun& run, const LiveRun& live, RunRecord& record,
                      Reporter& reporter) {
  const auto& deviation = live.deviation();
  if (!deviation) return;
  const std::string text = fmt::format(
      "not deterministic from step {}, metric {}: was {}, came out as {} when computed "
      "again",
      deviation->step, deviation->metric, deviation->before, deviation->now);
  record.history.emplace_back(std::to_string(deviation->step), text);
  reporter.note(run.run, text);
}

}  // namespace

Earlier find_earlier(const PlannedRun& run, const EarlierOptions& options) {
  const std::string file = run.file.string();
  Earlier earlier = Earlier::nothing;
  if (!options.force && std::filesystem::exists(run.file)) {
    const RunRecord record = read_run(run.file, false);
    if (record.config_hash != run.setup.config_hash && !options.other_config)
      throw Error(
          ExitCode::usage,
          fmt::format(
              "{}: holds another run ({} of {}); choose another file, or --force to replace it",
              file, record.run, record.name));
    if (record.status == RunStatus::done && record.config_hash == run.setup.config_hash)
      earlier = Earlier::complete;
    else if (record.status != RunStatus::failed || options.other_config)
      earlier = Earlier::unfinished;
    else if (options.keep_failed)
      earlier = Earlier::failed;
  }
  if (options.refuse_complete && earlier == Earlier::complete)
    throw Error(ExitCode::usage,
                fmt::format("{}: is complete already, so nothing would be run; choose another "
                            "file with -o, or --force to replace it",
                            file));
  if (options.resume == Resume::never && earlier == Earlier::unfinished) return Earlier::nothing;
  if (options.resume == Resume::must && earlier == Earlier::nothing)
    throw Error(ExitCode::usage,
                fmt::format("{}: there is no stopped run to continue (--resume must)", file));
  return earlier;
}

namespace {

using Clock = std::chrono::steady_clock;

Executed execute_probe(const PlannedRun& run, const ExecuteOptions& options, Reporter& reporter) {
  RunRecord record = new_record(run);
  record.id = new_id();
  if (!options.remark.empty()) record.history.emplace_back("0", options.remark);
  LiveRun live(run.file, {run.setup.durability, run.setup.checkpoint.keep});
  const auto start = Clock::now();
  reporter.started(run.run, 0);
  measure_into(record, run);
  record.seconds = seconds_since(start);
  return judge_and_finish(run, options, std::move(record), live);
}

Executed execute_training(const PlannedRun& run, Earlier earlier, const ExecuteOptions& options,
                          Reporter& reporter) {
  BuiltRun built(run.setup, run.material);
  Trainer& trainer = built.start();
  RunRecord record = new_record(run, built);
  record.id = new_id();
  if (!options.remark.empty()) record.history.emplace_back("0", options.remark);
  LiveRun live(run.file, {run.setup.durability, run.setup.checkpoint.keep});
  if (earlier == Earlier::unfinished)
    continue_from_file(run, options, trainer, record, live, reporter);
  const auto start = Clock::now();
  const double seconds_before = record.seconds;
  RunKeeper keeper(live, checkpoint_interval(run, built), options.threads, record);
  for (const std::string& note : run.material->notes) reporter.note(run.run, note);
  for (const auto& [what, value] : built.start_facts())
    reporter.note(run.run, fmt::format("{}: {}", what, value));
  reporter.started(run.run, trainer.steps());
  train(run, built, trainer, record, keeper, options.until, reporter);
  record.seconds = seconds_before + seconds_since(start);
  report_deviation(run, live, record, reporter);
  if (live.broken())
    throw Error(ExitCode::data,
                fmt::format("{}; what was written before is kept: make room, then the same command "
                            "continues",
                            record.message));
  record.digest = weights_digest(record);
  return judge_and_finish(run, options, std::move(record), live);
}

}  // namespace

RunRecord record_crash(const PlannedRun& run, const ExecuteOptions& options,
                       const std::string& message) {
  const LockFile lock(lock_of(run.file));
  RunRecord record;
  if (std::filesystem::exists(run.file)) record = read_run(run.file);
  if (record.config_hash != run.setup.config_hash || record.status == RunStatus::done) {
    record = new_record(run);
    record.id = new_id();
    note_environment(record, options.threads);
  }
  record.status = RunStatus::failed;
  record.message = message;
  LiveRun(run.file, {run.setup.durability, run.setup.checkpoint.keep}).finish(record);
  record.checkpoints.clear();
  return record;
}

void record_pruned(const std::filesystem::path& file, const std::string& why) {
  const LockFile lock(lock_of(file));
  RunRecord record = read_run(file);
  record.status = RunStatus::pruned;
  record.message = why;
  remove_live_files(file);
  write_run(file, record);
}

Executed pack(const PlannedRun& run, PackWriter& packs) {
  const LockFile lock(lock_of(run.file));
  RunRecord record = read_run(run.file);
  std::string file = packs.add(record);
  remove_run_files(run.file);
  record.checkpoints.clear();
  return {std::move(record), std::move(file)};
}

Executed execute(const PlannedRun& run, const ExecuteOptions& options, Reporter& reporter) {
  const LockFile lock(lock_of(run.file));
  const Earlier earlier = find_earlier(run, options);  // nobody else writes it from here on
  if (earlier == Earlier::complete) return {read_run(run.file, false), run.file.string()};
  return run.setup.probe ? execute_probe(run, options, reporter)
                         : execute_training(run, earlier, options, reporter);
}

}  // namespace assay
