#include "experiment/execute.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "base/clock.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/text.h"
#include "config/yaml.h"
#include "experiment/build.h"
#include "experiment/environment.h"
#include "experiment/exactness.h"
#include "experiment/probe.h"
#include "experiment/run_keeper.h"
#include "io/lock_file.h"
#include "io/sha256.h"
#include "results/digest.h"
#include "results/live_files.h"
#include "results/run_file.h"
#include "train/pace.h"

namespace assay {
namespace {

Facts data_facts(const Dataset& dataset, const Request& request) {
  Facts facts = {{"digest", dataset.digest()}};
  for (auto& fact : dataset.facts()) facts.push_back(std::move(fact));
  if (const auto limit = dataset.limit(request)) {
    facts.emplace_back("limit nats/token", fmt::format("{}", limit->nats_per_token));
    facts.emplace_back("limit meaning", limit->meaning);
  }
  return facts;
}

// Which parameters the optimizer shrinks.
std::string decayed_parameters(const BuiltRun& built) {
  const auto paths = built.optimizer()->decayed();
  if (paths.empty()) return "no parameters";
  return paths.size() == built.parameters().infos().size() ? "all parameters" : join(paths);
}

RunRecord new_record(const PlannedRun& run) {
  RunRecord record;
  record.name = run.setup.name;
  record.run = run.run;
  record.seed = run.setup.seed;
  record.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  record.config = run.setup.config;
  record.config_hash = run.setup.config_hash;
  record.experiment = run.setup.experiment.string();
  record.origins = origins(run.setup);
  record.plugins = run.setup.plugins();
  return record;
}

RunRecord new_record(const PlannedRun& run, const BuiltRun& built) {
  RunRecord record = new_record(run);
  record.parameters = built.parameters().count();
  record.data = data_facts(built.dataset(), built.evaluate_request());
  record.tokenizer = run.material->tokenizer_state;
  for (const auto& fact : built.start_facts()) record.data.push_back(fact);
  for (const std::string& note : run.material->notes) record.data.emplace_back("note", note);
  if (built.optimizer()) record.data.emplace_back("weight decay on", decayed_parameters(built));
  return record;
}

// Weights that learned from ids continue with the ids of the same tokenizer only.
void refuse_other_tokens(const PlannedRun& run, const RunRecord& before) {
  if (digest(before.tokenizer) == digest(run.material->tokenizer_state)) return;
  throw Error(ExitCode::data,
              fmt::format("{}: was begun with another tokenizer than the one that the data gives "
                          "now: the text has changed since; `assay run --force` begins anew",
                          run.file.string()));
}

// A run that was stopped behind an evaluation has the samples of that step already.
void write_samples(const TextSamples& samples, RunRecord& record, std::int64_t step) {
  if (!record.samples.empty() && record.samples.back().step >= step) return;
  for (TextSample& sample : samples.written(step)) record.samples.push_back(std::move(sample));
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

void note_figures(const char* section, const std::map<std::string, double>& figures,
                  RunRecord& record) {
  for (const auto& [name, value] : figures) {
    Series& series = record.metrics[fmt::format("{}/{}", section, name)];
    series.steps.push_back(record.steps);
    series.values.push_back(value);
  }
}

// Steps, evaluations and samples; what goes wrong is put into the record.
void train(const PlannedRun& run, BuiltRun& built, Trainer& trainer, RunRecord& record,
           Keeper& keeper, std::optional<std::int64_t> until, Reporter& reporter) {
  Watch watch;
  watch.keeper = &keeper;
  std::int64_t reached = record.steps;
  watch.progress = [&](const Progress& progress) {
    reached = progress.step;
    reporter.progress(run.run, progress);
  };
  if (const TextSamples* samples = built.samples())
    watch.evaluated = [&, samples](RunRecord& evaluated, std::int64_t step) {
      if (run.setup.samples->at_evaluations() || step == trainer.steps())
        write_samples(*samples, evaluated, step);
    };
  watch.stop = [&] { return stop_requested() || (until && reached >= *until); };
  try {
    trainer.run(record, watch);
    if (record.status == RunStatus::done) {
      record.attention = built.attended();
      for (auto& [layer, maps] : record.attention) maps.step = record.steps;
      note_figures("attention", attention_figures(record.attention), record);
      note_figures("decode", built.decoded(), record);
    }
  } catch (const Error& error) {
    // Before the first evaluation is there, nothing is written, and nothing need be.
    if (error.code() == ExitCode::usage && record.metrics.empty())
      throw refused_pass(run.setup, error);
    record.status = RunStatus::failed;
    record.message = error.what();
  } catch (const std::exception& error) {
    record.status = RunStatus::failed;
    record.message = error.what();
  } catch (...) {
    record.status = RunStatus::failed;
    record.message = "a plugin threw something that is no std::exception";
  }
}

// Tells the files of this run from those of an earlier one of the same name.
std::string new_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return sha256_hex(fmt::format("{} {}", ::getpid(), now)).substr(0, 32);
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

Executed judge_and_finish(const PlannedRun& run, const ExecuteOptions& options, RunRecord record,
                          LiveRun& live) {
  note_environment(record, options.threads);
  record.expectations =
      stated_expectations(run.setup.expectations, {"", 0, record, run.setup.resolved});
  std::string file = run.file.string();
  if (options.packs && record.status == RunStatus::done) {
    file = options.packs->add(record);
    remove_run_files(run.file);
  } else {
    live.finish(record);
  }
  record.checkpoints.clear();
  return {std::move(record), std::move(file)};
}

Executed execute_probe(const PlannedRun& run, const ExecuteOptions& options, Reporter& reporter) {
  RunRecord record = new_record(run);
  record.id = new_id();
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
  const auto final = record.checkpoints.find("final");
  if (final != record.checkpoints.end()) {
    // Models that count keep what they know beside the parameters.
    record.digest =
        digest(final->second.weights.empty() ? final->second.model : final->second.weights);
  }
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
