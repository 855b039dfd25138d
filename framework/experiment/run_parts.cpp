#include "experiment/run_parts.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "base/error.h"
#include "base/stop.h"
#include "base/text.h"
#include "experiment/environment.h"
#include "io/sha256.h"
#include "results/digest.h"
#include "results/live_files.h"
#include "results/run_file.h"

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

}  // namespace

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

namespace {

void note_figures(const char* section, const std::map<std::string, double>& figures,
                  RunRecord& record) {
  for (const auto& [name, value] : figures) {
    Series& series = record.metrics[fmt::format("{}/{}", section, name)];
    series.steps.push_back(record.steps);
    series.values.push_back(value);
  }
}

// A run that was stopped behind an evaluation has the samples of that step already.
void write_samples(const TextSamples& samples, RunRecord& record, std::int64_t step) {
  if (!record.samples.empty() && record.samples.back().step >= step) return;
  for (TextSample& sample : samples.written(step)) record.samples.push_back(std::move(sample));
}

}  // namespace

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

std::string new_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return sha256_hex(fmt::format("{} {}", ::getpid(), now)).substr(0, 32);
}

std::string weights_digest(const RunRecord& record) {
  const auto final = record.checkpoints.find("final");
  if (final == record.checkpoints.end()) return {};
  // Models that count keep what they know beside the parameters.
  return digest(final->second.weights.empty() ? final->second.model : final->second.weights);
}

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

}  // namespace assay
