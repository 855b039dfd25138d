#include "experiment/from_file.h"

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/text.h"
#include "config/overrides.h"
#include "config/yaml.h"
#include "experiment/environment.h"
#include "experiment/exactness.h"
#include "experiment/execute.h"
#include "experiment/lineage.h"
#include "experiment/member.h"
#include "experiment/plan.h"
#include "results/difference.h"
#include "results/live_files.h"
#include "results/pack_edit.h"
#include "results/run_file.h"
#include "results/run_path.h"
#include "results/run_set.h"
#include "results/trajectory.h"

namespace assay {
namespace {

constexpr const char* kSteps = "train.steps";

Value with_overrides(Value config, const std::vector<std::string>& arguments, Problems& problems) {
  for (const std::string& argument : arguments) {
    const Override change = read_override(argument, problems);
    if (change.choices.size() == 1)
      config = apply_override(config, change, change.choices[0], problems);
    else if (!change.choices.empty())
      problems.add(change.path_at, change.path + ": takes one value here");
  }
  return config;
}

std::string value_in(const Facts& facts, const std::string& key) {
  for (const auto& [name, value] : facts)
    if (name == key) return value;
  return "not set";
}

// "model.width: 8 in the file, 16 asked for", for every key that makes it another run.
std::vector<std::string> other_keys(const Facts& then, const Facts& now) {
  std::vector<std::string> keys;
  const auto consider = [&](const std::string& key) {
    const std::string a = value_in(then, key), b = value_in(now, key);
    if (a == b || key == kSteps || is_about_keeping(key)) return;
    const std::string line = fmt::format("{}: {} in the file, {} asked for", key, a, b);
    if (std::find(keys.begin(), keys.end(), line) == keys.end()) keys.push_back(line);
  };
  for (const auto& [key, value] : then) consider(key);
  for (const auto& [key, value] : now) consider(key);
  return keys;
}

std::string extension_text(const std::string& then, const std::string& now, std::int64_t step) {
  return fmt::format("{}: {} before, {} now; schedules follow the new total from step {} on",
                     kSteps, then, now, step);
}

// What the history says of extensions: one run with the settings that stand in the file now has
// other schedules before them.
std::vector<std::string> extensions(const RunRecord& record) {
  std::vector<std::string> found;
  for (const auto& [step, what] : record.history)
    if (what.starts_with(std::string(kSteps) + ": ")) found.push_back("was extended: " + what);
  return found;
}

// "step 12: train/loss was 2.5, is 2.25"; empty where every row is the same.
std::string difference_text(const RunRecord& then, const RunRecord& now) {
  const auto parting = first_parting(then, now, Compared::all);
  if (!parting) return {};
  const std::string start = fmt::format("step {}: {} ", parting->step, parting->metric);
  if (!parting->a || !parting->b) return start + "is there in one of them only";
  return start + fmt::format("was {}, is {}", *parting->a, *parting->b);
}

void refuse_to_replace(const FromFileRequest& request) {
  std::error_code none;
  if (!std::filesystem::equivalent(split_run_path(request.file).file, request.output, none)) return;
  throw Error(ExitCode::usage,
              fmt::format("{}: is the file that is to be run again; choose another with -o",
                          request.output.string()));
}

// The run that a file holds, with its settings changed as asked.
struct Described {
  RunRecord record;
  Registry registry;
  Materials materials;
  PlannedRun run;
  Facts config_then, config_now;

  explicit Described(const FromFileRequest& request)
      : record(read_run(request.file, false)), registry(default_plugin_path(request.plugins)) {
    // Before layout 2 a file did not say where its experiment was: paths are relative to here.
    const std::filesystem::path experiment =
        record.experiment.empty() ? record.name + ".yaml" : record.experiment;
    Problems problems;
    const Value then = read_yaml(record.config, request.file.string() + ": config");
    const Value now = with_overrides(then, request.overrides, problems);
    problems.raise();
    run.setup = SetupReader(experiment, registry).read(now, problems);
    problems.raise();
    run.run = record.run;
    run.file = request.file;
    if (is_member()) run.setup.config_hash = record.config_hash;
    config_then = flattened(then);
    config_now = flattened(run.setup.resolved);
  }

  void load() { assay::load(run, materials); }
  bool is_member() const { return record.tables.contains(kLineage); }
  std::shared_ptr<const PlannedRun> with(const Value& config) {
    auto other = std::make_shared<PlannedRun>();
    Problems problems;
    other->setup = SetupReader(run.setup.experiment, registry).read(config, problems);
    problems.raise();
    other->run = run.run;
    assay::load(*other, materials);
    return other;
  }
};

// A member of a population goes the way that its lineage says, from run to run.
Executed follow_lineage(Described& described, const ExecuteOptions& options, Reporter& reporter) {
  find_earlier(described.run, options);
  Member member(described.run);
  std::vector<PlannedStretch> stretches;
  for (const Stretch& stretch : read_lineage(described.record))
    stretches.push_back({stretch.from, stretch.run, described.with(stretch.config)});
  member.follow(std::move(stretches));
  return member.advance(std::nullopt, options, reporter);
}

RunResult executed(Described& described, const ExecuteOptions& options, Reporter& reporter) {
  const PlannedRun& run = described.run;
  RunResult result;
  result.run = run.run;
  result.file = run.file.string();
  reporter.planned(1, run.steps);
  result.record = (described.is_member() ? follow_lineage(described, options, reporter)
                                         : execute(run, options, reporter))
                      .record;
  reporter.finished(run.run, result.record, result.file, false);
  return result;
}

int threads_of(const FromFileRequest& request) {
  return request.threads > 0 ? request.threads : available_cores();
}

RunResult resume(const FromFileRequest& request, Reporter& reporter) {
  Described described(request);
  const RunRecord& before = described.record;
  PlannedRun& run = described.run;
  const std::string file = request.file.string();
  if (described.is_member())
    throw Error(ExitCode::usage,
                fmt::format("{}: is a member of a population, and goes on with the others only: "
                            "`assay run {}` continues the sweep; `assay rerun` does this run alone",
                            file, run.setup.experiment.string()));
  if (const auto others = other_keys(described.config_then, described.config_now); !others.empty())
    throw Error(
        ExitCode::usage,
        fmt::format("{}: a run can be continued with more steps only; this would be another "
                    "run:\n  {}\nUse `assay run` for that",
                    file, fmt::join(others, "\n  ")));
  described.load();
  // A model that counts may be done before the last of its readings.
  const bool as_asked = run.steps == before.steps || !run.setup.train;
  if (before.status == RunStatus::done && as_asked) {
    remove_leftovers_of(request.file);
    RunResult result;
    result.run = run.run;
    result.file = file;
    result.skipped = true;
    result.record = before;
    reporter.finished(run.run, before, file, true);
    return result;
  }
  if (run.steps < before.steps)
    throw Error(ExitCode::usage, fmt::format("{}: {} steps are done, so it cannot end after {}",
                                             file, before.steps, run.steps));
  const std::string then = value_in(described.config_then, kSteps),
                    now = value_in(described.config_now, kSteps);
  ExecuteOptions options;
  if (then != now) {
    options.change = extension_text(then, now, before.steps);
    reporter.note(run.run, options.change);
  }
  options.threads = threads_of(request);
  options.inexact = request.inexact;
  options.other_config = true;
  run.file = taken_out(request.file);
  return executed(described, options, reporter);
}

}  // namespace

RunResult resume_run(const FromFileRequest& request, Reporter& reporter) {
  RunResult result;
  Pool(threads_of(request)).run([&] { result = resume(request, reporter); });
  return result;
}

RerunResult rerun(const FromFileRequest& request, Reporter& reporter) {
  RerunResult result;
  Pool(threads_of(request)).run([&] {
    refuse_to_replace(request);
    Described described(request);
    const RunRecord& before = described.record;
    const bool pruned = before.status == RunStatus::pruned;
    if (before.status != RunStatus::done && !pruned)
      throw Error(ExitCode::usage,
                  fmt::format("{}: is not complete, so there is nothing to compare "
                              "with; `assay resume` continues it",
                              request.file.string()));
    described.load();
    RunRecord now;
    now.environment = environment_facts(threads_of(request));
    now.plugins = described.run.setup.plugins();
    if (described.run.material) now.data = {{"digest", described.run.material->dataset->digest()}};
    auto reasons = inexact_reasons(before, now);
    for (const std::string& extension : extensions(before)) reasons.push_back(extension);
    if (!reasons.empty() && !request.inexact)
      throw Error(ExitCode::data, fmt::format("{}: not what it was run with:\n  {}\n--inexact runs "
                                              "it all the same",
                                              request.file.string(), fmt::join(reasons, "\n  ")));
    for (const std::string& reason : reasons) reporter.note(described.run.run, reason);
    described.run.file = request.output;
    ExecuteOptions options;
    options.threads = threads_of(request);
    options.force = request.force;
    options.refuse_complete = true;
    if (pruned) options.until = before.steps;
    result.run = executed(described, options, reporter);
    const RunRecord& again = result.run.record;
    const bool waits = pruned && again.status == RunStatus::stopped && again.steps == before.steps;
    if (again.status != RunStatus::done && !waits) return;
    result.compared = true;
    if (waits) record_pruned(request.output, before.message);
    result.difference = difference_text(before, result.run.record);
    if (result.difference.empty() && before.digest != result.run.record.digest)
      result.difference = "the final weights";
    const WeightPaths weights = compare_weights(before, result.run.record);
    if (!result.difference.empty() && weights.parting)
      result.difference += "; " + weights_text(weights);
  });
  return result;
}

}  // namespace assay
