#include "experiment/execute.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "base/error.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/utf8.h"
#include "experiment/build.h"
#include "experiment/environment.h"
#include "results/digest.h"
#include "results/run_file.h"
#include "train/generate.h"

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

RunRecord new_record(const PlannedRun& run, const BuiltRun& built, int threads) {
  RunRecord record;
  record.name = run.setup.name;
  record.run = run.run;
  record.seed = run.setup.seed;
  record.parameters = built.parameters().count();
  record.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  record.config = run.setup.config;
  record.config_hash = run.setup.config_hash;
  record.origins = origins(run.setup);
  record.plugins = run.setup.plugins();
  record.environment = environment_facts(threads);
  record.data = data_facts(built.dataset(), built.evaluate_request());
  record.tokenizer = run.material->tokenizer_state;
  for (const std::string& note : run.material->notes) record.data.emplace_back("note", note);
  if (built.optimizer()) record.data.emplace_back("weight decay on", decayed_parameters(built));
  return record;
}

void write_samples(const PlannedRun& run, const BuiltRun& built, RunRecord& record) {
  if (!run.setup.samples || !run.material->tokenizer) return;
  const SampleOptions& o = *run.setup.samples;
  const Tokenizer& tokenizer = *run.material->tokenizer;
  std::vector<std::unique_ptr<Sampler>> samplers;
  samplers.push_back(run.setup.sampler.create({}));
  const auto prompt = tokenizer.encode(o.prompt, "samples.prompt");
  for (std::int64_t i = 0; i < o.count; ++i) {
    const Random draw(run.setup.seed, "samples", static_cast<std::uint64_t>(i));
    const auto ids = generate(built.model(), built.parameters(), samplers, prompt, o.length, draw);
    record.samples.push_back({record.steps, o.prompt, utf8_repaired(tokenizer.decode(ids))});
  }
}

// Steps, evaluations and samples; what goes wrong is put into the record.
void train(const PlannedRun& run, BuiltRun& built, Trainer& trainer, RunRecord& record,
           Reporter& reporter) {
  Watch watch;
  watch.progress = [&](const Progress& progress) { reporter.progress(run.run, progress); };
  watch.stop = stop_requested;
  try {
    trainer.run(record, watch);
    record.samples.clear();
    if (record.status == RunStatus::done) write_samples(run, built, record);
  } catch (const std::exception& error) {
    record.status = RunStatus::failed;
    record.message = error.what();
  } catch (...) {
    record.status = RunStatus::failed;
    record.message = "a plugin threw something that is no std::exception";
  }
}

}  // namespace

Earlier find_earlier(const PlannedRun& run, bool force) {
  if (force || !std::filesystem::exists(run.file)) return Earlier::nothing;
  const RunRecord record = read_run(run.file, false);
  if (record.config_hash != run.setup.config_hash)
    throw Error(
        ExitCode::usage,
        fmt::format(
            "{}: holds another run ({} of {}); choose another file, or --force to replace it",
            run.file.string(), record.run, record.name));
  switch (record.status) {
    case RunStatus::done:
      return Earlier::complete;
    case RunStatus::stopped:
      return Earlier::unfinished;
    case RunStatus::failed:
      return Earlier::nothing;
  }
  return Earlier::nothing;
}

RunRecord execute(const PlannedRun& run, Earlier earlier, int threads, Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  BuiltRun built(run.setup, run.material);
  Trainer& trainer = built.start();
  RunRecord record = new_record(run, built, threads);
  if (earlier == Earlier::unfinished) {
    RunRecord before = read_run(run.file);
    trainer.restore(before);
    record.started = before.started;
    record.seconds = before.seconds;
    record.metrics = std::move(before.metrics);
    record.checkpoints = std::move(before.checkpoints);
    reporter.note(run.run, fmt::format("continues after step {}", before.steps));
  }
  for (const std::string& note : run.material->notes) reporter.note(run.run, note);
  reporter.started(run.run, trainer.steps());
  train(run, built, trainer, record, reporter);
  record.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto final = record.checkpoints.find("final");
  if (final != record.checkpoints.end()) {
    // Models that count keep what they know beside the parameters.
    record.digest =
        digest(final->second.weights.empty() ? final->second.model : final->second.weights);
  }
  record.expectations =
      stated_expectations(run.setup.expectations, {"", 0, record, run.setup.resolved});
  write_run(run.file, record);
  record.checkpoints.clear();
  return record;
}

}  // namespace assay
