#include "experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>

#include "base/parallel.h"
#include "base/stop.h"
#include "experiment/execute.h"
#include "experiment/failure_watch.h"
#include "experiment/packed_runs.h"
#include "experiment/plan.h"
#include "results/live_files.h"
#include "results/run_file.h"

namespace assay {
namespace {

struct Work {
  Plan plan;
  std::vector<Earlier> earlier;
  std::optional<PackedRuns> packed;
  std::vector<const PackedRuns::Found*> found;  // what stands of each in a pack
};

// Looks at every result file before the first run starts, so that a folder that cannot be written
// is no surprise later.
Work prepare(const ExperimentRequest& request, Registry& registry, Materials& materials) {
  Work work{make_plan(request, registry, materials), {}, {}, {}};
  if (request.output.empty()) work.packed.emplace(work.plan.runs);
  std::set<std::filesystem::path> writable;
  for (const PlannedRun& run : work.plan.runs) {
    work.found.push_back(work.packed ? work.packed->find(run) : nullptr);
    const bool complete = work.found.back() && !request.force;
    work.earlier.push_back(complete ? Earlier::complete
                                    : find_earlier(run, {request.force, request.resume}));
    // One attempt for each folder: it looks at all that is there.
    if (work.earlier.back() != Earlier::complete && writable.insert(run.file.parent_path()).second)
      check_writable(run.file);
  }
  return work;
}

void announce(const Work& work, Reporter& reporter) {
  std::int64_t runs = 0, steps = 0;
  for (std::size_t i = 0; i < work.earlier.size(); ++i)
    if (work.earlier[i] != Earlier::complete) {
      ++runs;
      steps += work.plan.runs[i].steps;
    }
  reporter.planned(runs, steps);
}

// A complete run is not done again because a plugin was built anew: that must not go unseen.
void note_other_plugins(const PlannedRun& run, const RunRecord& record, Reporter& reporter) {
  for (const PluginIdentity& now : run.setup.plugins())
    for (const PluginIdentity& then : record.plugins)
      if (now.kind == then.kind && now.name == then.name && now.sha256 != then.sha256)
        reporter.note(run.run, fmt::format("{} '{}' is another build now than in this result; "
                                           "--force runs it anew",
                                           now.kind, now.name));
}

void refuse(RunResult& result, const PlannedRun& run, ExitCode code, const std::string& why) {
  result.refused = code;
  result.record.name = run.setup.name;
  result.record.run = run.run;
  result.record.seed = run.setup.seed;
  result.record.status = RunStatus::failed;
  result.record.message = why;
}

RunResult complete_run(const PlannedRun& run, const PackedRuns::Found* found) {
  RunResult result;
  result.run = run.run;
  result.skipped = true;
  result.file = found ? found->path : run.file.string();
  if (!found) remove_leftovers_of(run.file);
  result.record = found ? found->record : read_run(run.file, false);
  return result;
}

RunResult run_one(const PlannedRun& run, Earlier earlier, const PackedRuns::Found* found,
                  const ExecuteOptions& options, Reporter& reporter) {
  RunResult result;
  if (earlier == Earlier::complete) {
    result = complete_run(run, found);
    note_other_plugins(run, result.record, reporter);
  } else {
    result.run = run.run;
    result.file = run.file.string();
    try {
      Executed executed = execute(run, options, reporter);
      result.record = std::move(executed.record);
      result.file = std::move(executed.file);
    } catch (const Error& error) {  // its file could not be written: the others go on
      refuse(result, run, error.code(), error.what());
    } catch (const std::exception& error) {
      refuse(result, run, ExitCode::failed, error.what());
    }
  }
  reporter.finished(run.run, result.record, result.file, result.skipped);
  return result;
}

// Full packs are written while runs last; here the rest, and what was done anew goes from the old
// ones.
bool close_packs(Work& work, const std::vector<std::optional<RunResult>>& results,
                 Reporter& reporter) {
  if (!work.packed) return true;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (work.found[i] && results[i] && !results[i]->skipped && !results[i]->refused)
      work.packed->replaced(work.found[i]->path);
  const std::vector<std::string> problems = work.packed->close();
  for (const std::string& problem : problems) reporter.note(work.plan.name, problem);
  return problems.empty();
}

// Runs by their places in the plan: a probe of time would measure what runs beside it.
struct Order {
  std::vector<std::size_t> together, alone;
};

Order order_of(const Plan& plan) {
  Order order;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const RunSetup& setup = plan.runs[i].setup;
    const bool times = setup.probe && setup.probe.create({setup.seed})->measures_time();
    (times ? order.alone : order.together).push_back(i);
  }
  return order;
}

ExitCode exit_code(const std::vector<RunResult>& runs) {
  const auto count = [&](RunStatus status) {
    return std::count_if(runs.begin(), runs.end(),
                         [&](const RunResult& run) { return run.record.status == status; });
  };
  if (stop_requested()) return ExitCode::stopped;
  for (const RunResult& run : runs)
    if (run.refused && *run.refused != ExitCode::failed) return *run.refused;
  const auto failed = count(RunStatus::failed);
  if (failed == 0) return ExitCode::done;
  return failed == static_cast<std::ptrdiff_t>(runs.size()) ? ExitCode::failed : ExitCode::partly;
}

// What became of the expectations of those runs that were made.
std::vector<Verdict> judge_all(const Plan& plan,
                               const std::vector<std::optional<RunResult>>& results) {
  std::vector<LoadedRun> loaded(results.size());
  std::vector<JudgedRun> judged;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const RunSetup& setup = plan.runs[i].setup;
    if (!results[i] || setup.expectations.empty()) continue;
    loaded[i] = {results[i]->file, 0, results[i]->record, setup.resolved};
    // Nothing was found: that is no finding against what was expected.
    if (results[i]->refused) loaded[i].record.status = RunStatus::running;
    judged.push_back({&loaded[i], &setup.expectations});
  }
  return judge(judged);
}

bool any_missed(const std::vector<Verdict>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& verdict) { return verdict.kind == Verdict::Kind::missed; });
}

}  // namespace

ExperimentResult run_experiment(const ExperimentRequest& request, Reporter& reporter) {
  Registry registry(default_plugin_path(request.plugins));
  Materials materials;
  const int threads = request.threads > 0 ? request.threads : available_cores();
  Pool pool(threads);
  std::optional<Work> work;
  std::vector<std::optional<RunResult>> results;
  ExecuteOptions options;
  options.force = request.force;
  options.resume = request.resume;
  options.threads = threads;
  options.inexact = request.inexact;
  FailureWatch failures(request.stop_after);
  bool packed = true;
  pool.run([&] {
    work = prepare(request, registry, materials);
    for (const std::string& remark : registry.remarks()) reporter.note(work->plan.name, remark);
    announce(*work, reporter);
    results.resize(work->plan.runs.size());
    const Order order = order_of(work->plan);
    std::atomic<bool> enough{false};
    const auto run = [&](std::size_t i) {
      ExecuteOptions own = options;
      own.packs = work->packed ? work->packed->writer_of(work->plan.runs[i]) : nullptr;
      results[i] = run_one(work->plan.runs[i], work->earlier[i], work->found[i], own, reporter);
      if (failures.saw(results[i]->record)) enough = true;
    };
    const auto may_start = [&] { return !stop_requested() && !enough; };
    const auto together = static_cast<std::int64_t>(order.together.size());
    const std::int64_t jobs =
        std::min<std::int64_t>(request.jobs > 0 ? request.jobs : threads, together);
    std::atomic<std::size_t> next{0};
    parallel_jobs(jobs, [&](std::int64_t) {
      for (std::size_t k; may_start() && (k = next.fetch_add(1)) < order.together.size();)
        run(order.together[k]);
    });
    for (const std::size_t i : order.alone)
      if (may_start()) run(i);
    packed = close_packs(*work, results, reporter);
  });
  ExperimentResult result;
  result.name = work->plan.name;
  result.verdicts = judge_all(work->plan, results);
  for (auto& run : results)
    if (run) result.runs.push_back(std::move(*run));
  result.unstarted = work->plan.runs.size() - result.runs.size();
  if (result.unstarted > 0 && !failures.reason().empty())
    reporter.note(result.name,
                  fmt::format("{}; {} of {} runs were not started: the same command starts them, "
                              "--on-fail continue in any case",
                              failures.reason(), result.unstarted, work->plan.runs.size()));
  result.code = exit_code(result.runs);
  if (result.code == ExitCode::done && !packed) result.code = ExitCode::data;
  if (result.code == ExitCode::done && any_missed(result.verdicts)) result.code = ExitCode::failed;
  return result;
}

}  // namespace assay
