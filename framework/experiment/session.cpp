#include "experiment/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/stop.h"
#include "experiment/admission.h"
#include "experiment/frozen_plan.h"
#include "experiment/isolation.h"
#include "experiment/member.h"
#include "io/lock_file.h"
#include "results/live_files.h"
#include "results/run_file.h"

namespace assay {
namespace {

constexpr double kShareOfMemory = 0.8;  // of what is free; the rest is for files and estimates

// A complete run is not done again because a plugin was built anew: that must not go unseen.
void note_other_plugins(const PlannedRun& run, const RunRecord& record, Reporter& reporter) {
  for (const PluginIdentity& now : run.setup.plugins())
    for (const PluginIdentity& then : record.plugins)
      if (now.kind == then.kind && now.name == then.name && now.sha256 != then.sha256)
        reporter.note(run.run, fmt::format("{} '{}' is another build now than in this result; "
                                           "--force runs it anew",
                                           now.kind, now.name));
}

// A probe of time would measure what runs beside it.
bool measures_time(const RunSetup& setup) {
  return setup.probe && setup.probe.create({setup.seed})->measures_time();
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
std::vector<Verdict> judge_all(const std::vector<PlannedRun>& plan,
                               const std::vector<std::optional<RunResult>>& results) {
  std::vector<LoadedRun> loaded(results.size());
  std::vector<JudgedRun> judged;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const RunSetup& setup = plan[i].setup;
    if (!results[i] || setup.expectations.empty()) continue;
    if (results[i]->record.status == RunStatus::pruned) continue;  // it was never to be whole
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

void RunResult::refuse(const std::string& name, std::uint64_t seed, ExitCode code,
                       const std::string& why) {
  refused = code;
  record.name = name;
  record.run = run;
  record.seed = seed;
  record.status = RunStatus::failed;
  record.message = why;
}

Session::Session(const ExperimentRequest& request, Reporter& reporter)
    : request_(request),
      reporter_(reporter),
      registry_(default_plugin_path(request.plugins)),
      threads_(request.threads > 0 ? request.threads : available_cores()),
      // While it is there, and of one thread, so is this process: nothing else starts any.
      pool_(std::make_unique<Pool>(request.isolate ? 1 : threads_)),
      failures_(std::in_place, request.stop_after),
      memory_(threads_),
      budget_(request.memory.value_or(kShareOfMemory * available_memory())) {}

void Session::begin(std::string name, bool sweep, std::int64_t retries) {
  name_ = std::move(name);
  retries_ = retries;
  sweep_ = sweep && request_.output.empty();
  if (request_.output.empty()) packs_.emplace(sweep_);
}

void Session::tolerate_failures() {
  if (!request_.stop_after) failures_.emplace(0);
}

// Looks at every result file before the first run starts, so that a folder that cannot be written
// is no surprise later.
std::size_t Session::add(std::vector<PlannedRun> runs) {
  const std::size_t first = plan_.size();
  if (packs_) packs_->add(runs);
  EarlierOptions options;
  options.force = request_.force;
  options.resume = resume_of(runs);
  options.keep_failed = sweep_ && request_.again == ExperimentRequest::Again::none;
  for (PlannedRun& run : runs) {
    found_.push_back(packs_ ? packs_->find(run) : nullptr);
    const bool complete = found_.back() && !request_.force;
    earlier_.push_back(complete ? Earlier::complete : find_earlier(run, options));
    // One attempt for each folder: it looks at all that is there.
    if (earlier_.back() != Earlier::complete && writable_.insert(run.file.parent_path()).second)
      check_writable(run.file);
    const bool ended = earlier_.back() == Earlier::complete || earlier_.back() == Earlier::failed;
    needs_.push_back(sweep_ && !ended ? need_of(run) : 0);
    refuse_without_memory(run, needs_.back());
    plan_.push_back(std::move(run));
  }
  results_.resize(plan_.size());
  return first;
}

// A sweep that was begun may be continued, also with runs that had not started.
Resume Session::resume_of(const std::vector<PlannedRun>& runs) {
  if (!resume_) {
    const bool begun =
        sweep_ && !runs.empty() && std::filesystem::exists(plan_in(runs[0].file.parent_path()));
    resume_ = request_.resume == Resume::must && begun ? Resume::automatic : request_.resume;
  }
  return *resume_;
}

// A run that cannot even be measured fails when its turn comes, and the others go on. Isolated runs
// are not measured: they might crash this process.
double Session::need_of(const PlannedRun& run) {
  if (request_.isolate) return 0;
  try {
    return memory_.of(run);
  } catch (const std::exception&) {
    return 0;
  }
}

// It would take the machine down with it, and the other runs.
void Session::refuse_without_memory(const PlannedRun& run, double need) const {
  if (need <= budget_) return;
  throw Error(
      ExitCode::usage,
      fmt::format("{}: needs about {:.3g} GB of memory, and there are {:.3g}: fewer rows at "
                  "once (train.batch, with train.accumulate) or more shards need less; "
                  "--memory 100GB runs it all the same",
                  run.run, need / 1e9, budget_ / 1e9));
}

std::int64_t Session::waiting() const {
  return std::count_if(earlier_.begin(), earlier_.end(), [](Earlier earlier) {
    return earlier != Earlier::complete && earlier != Earlier::failed;
  });
}

void Session::announce() {
  std::int64_t steps = 0;
  for (std::size_t i = 0; i < plan_.size(); ++i)
    if (earlier_[i] != Earlier::complete && earlier_[i] != Earlier::failed) steps += plan_[i].steps;
  announce(waiting(), steps);
}

void Session::announce(std::int64_t runs, std::int64_t steps) {
  for (const std::string& remark : registry_.remarks()) reporter_.note(name_, remark);
  reporter_.planned(runs, steps);
}

std::vector<Leg> Session::whole() const {
  std::vector<Leg> legs(plan_.size());
  for (std::size_t i = 0; i < legs.size(); ++i) legs[i].run = i;
  return legs;
}

bool Session::may_start() const {
  return !stop_requested() && failures_->reason().empty();
}

const RunResult* Session::result_of(std::size_t run) const {
  return results_[run] ? &*results_[run] : nullptr;
}

void Session::advance(const std::vector<Leg>& legs) {
  std::vector<Leg> together, alone;
  for (const Leg& leg : legs)
    (measures_time(plan_[leg.run].setup) ? alone : together).push_back(leg);
  const auto most = std::min(jobs(), static_cast<std::int64_t>(together.size()));
  if (request_.isolate) {
    advance_apart(together, most);
    advance_apart(alone, 1);
    return;
  }
  std::vector<double> needs;
  for (const Leg& leg : together) needs.push_back(needs_[leg.run]);
  Admission admission(std::move(needs), budget_);
  parallel_jobs(most, [&](std::int64_t) {
    while (may_start()) {
      const auto next = admission.next();
      if (!next) return;
      run_one(together[*next]);
      admission.ended(*next);
    }
  });
  for (const Leg& leg : alone)
    if (may_start()) run_one(leg);
}

void Session::reserve(std::size_t runs) {
  plan_.reserve(runs);
  found_.reserve(runs);
  earlier_.reserve(runs);
  needs_.reserve(runs);
  results_.reserve(runs);
}

// A job for which a run does not fit leaves it to the others, and ends.
void Session::advance(const std::function<std::optional<Leg>()>& next,
                      const std::function<void(const Leg&)>& ended) {
  std::mutex mutex;
  std::optional<Leg> left;
  double taken = 0;
  std::int64_t in_flight = 0;
  const auto take = [&]() -> std::optional<Leg> {
    const std::lock_guard lock(mutex);
    const std::optional<Leg> leg = left ? std::exchange(left, std::nullopt) : next();
    if (!leg) return std::nullopt;
    if (in_flight > 0 && taken + needs_[leg->run] > budget_) {
      left = leg;
      return std::nullopt;
    }
    ++in_flight;
    taken += needs_[leg->run];
    return leg;
  };
  parallel_jobs(jobs(), [&](std::int64_t) {
    while (may_start()) {
      const std::optional<Leg> leg = take();
      if (!leg) return;
      run_one(*leg);
      const std::lock_guard lock(mutex);
      --in_flight;
      taken -= needs_[leg->run];
      ended(*leg);
    }
  });
}

// Each in a process of its own, with its share of the threads, which changes no number.
void Session::advance_apart(const std::vector<Leg>& legs, std::int64_t jobs) {
  struct Begun {
    Leg leg;
    std::int64_t retries = 0;
  };
  std::map<std::size_t, Begun> begun;
  const auto options = [&](const Leg& leg) {
    ExecuteOptions own = options_of(leg);
    own.threads = std::max(1, threads_ / static_cast<int>(jobs));
    return own;
  };
  const auto in_child = [&] { pool_.reset(); };
  IsolatedRuns apart(plan_, reporter_, in_child, [&](std::size_t run, RunResult result) {
    Begun& of = begun.at(run);
    if (begins_anew(result, of.retries)) {
      apart.start(run, options(of.leg));
      return;
    }
    settle(of.leg, std::move(result), true);
  });
  std::size_t next = 0;
  const auto fits = [&] { return static_cast<std::int64_t>(apart.in_flight()) < jobs; };
  while (apart.in_flight() > 0 || (next < legs.size() && may_start())) {
    while (next < legs.size() && may_start() && fits()) {
      const Leg& leg = legs[next++];
      if (auto result = standing(leg)) {
        settle(leg, std::move(*result), false);
        continue;
      }
      begun[leg.run] = {leg, 0};
      apart.start(leg.run, options(leg));
    }
    if (apart.in_flight() > 0) apart.listen();
  }
}

// What needs no work: a run that is complete, or failed and stays so, or is as far already.
std::optional<RunResult> Session::standing(const Leg& leg) {
  const PlannedRun& run = plan_[leg.run];
  const Earlier earlier = earlier_[leg.run];
  const bool ended = earlier == Earlier::complete || earlier == Earlier::failed;
  if (!ended && (leg.member || !leg.until || earlier != Earlier::unfinished)) return std::nullopt;
  if (results_[leg.run] && ended) return results_[leg.run];
  const PackedRuns::Found* found = found_[leg.run];
  RunResult result;
  result.run = run.run;
  result.skipped = true;
  result.file = found ? found->path : run.file.string();
  if (ended && !found) remove_leftovers_of(run.file);
  result.record = found ? found->record : read_run(run.file, false);
  // One that was killed has rows beyond its checkpoint, and no digest.
  if (!ended && (result.record.steps < *leg.until || result.record.digest.empty()))
    return std::nullopt;
  return result;
}

ExecuteOptions Session::options_of(const Leg& leg) const {
  const bool begun = results_[leg.run].has_value();  // in this session: it goes on
  ExecuteOptions options;
  options.force = request_.force && !begun;
  options.resume = begun ? Resume::automatic : resume_.value_or(request_.resume);
  options.threads = threads_;
  options.inexact = request_.inexact;
  options.until = leg.until;
  options.remark = remark_;
  options.goes_on = begun;
  options.packs = packs_ ? packs_->writer_of(plan_[leg.run]) : nullptr;
  return options;
}

RunResult Session::executed(const Leg& leg) {
  const PlannedRun& run = plan_[leg.run];
  RunResult result;
  result.run = run.run;
  result.file = run.file.string();
  try {
    Executed executed = leg.member ? leg.member->advance(leg.until, options_of(leg), reporter_)
                                   : execute(run, options_of(leg), reporter_);
    result.record = std::move(executed.record);
    result.file = std::move(executed.file);
  } catch (const Error& error) {  // its file could not be written: the others go on
    result.refuse(run.setup.name, run.setup.seed, error.code(), error.what());
  } catch (const std::exception& error) {
    result.refuse(run.setup.name, run.setup.seed, ExitCode::failed, error.what());
  }
  return result;
}

bool Session::begins_anew(const RunResult& result, std::int64_t& retries) {
  if (retries >= retries_ || !may_start() || result.record.status != RunStatus::failed ||
      result.refused)
    return false;
  reporter_.note(result.run, fmt::format("failed, and is begun anew ({} of {}): {}", ++retries,
                                         retries_, result.record.message));
  return true;
}

void Session::run_one(const Leg& leg) {
  if (auto result = standing(leg)) return settle(leg, std::move(*result), false);
  RunResult result = executed(leg);
  for (std::int64_t retries = 0; begins_anew(result, retries);) result = executed(leg);
  settle(leg, std::move(result), true);
}

// ran: now, not before.
void Session::settle(const Leg& leg, RunResult result, bool ran) {
  const PlannedRun& run = plan_[leg.run];
  const bool told = !ran && results_[leg.run] && earlier_[leg.run] != Earlier::unfinished;
  const RunRecord& record = result.record;
  if (!ran && !told && record.status == RunStatus::done) note_other_plugins(run, record, reporter_);
  const bool over = record.status == RunStatus::done || record.status == RunStatus::failed;
  const bool comes_back = leg.member && !stop_requested();
  if (leg.until && !over && (record.steps >= *leg.until || comes_back)) {
    earlier_[leg.run] = Earlier::unfinished;
    reporter_.paused(run.run);
  } else if (!told) {
    if (ran && over) earlier_[leg.run] = Earlier::complete;
    reporter_.finished(run.run, record, result.file, result.skipped);
    if (ran) failures_->saw(record);
  }
  results_[leg.run] = std::move(result);
}

void Session::prune(std::size_t index, const std::string& why) {
  const PlannedRun& run = plan_[index];
  RunResult& result = *results_[index];
  if (result.record.status == RunStatus::pruned && result.record.message == why) {
    remove_leftovers_of(run.file);  // a kill may have come before the lock was gone
  } else {
    record_pruned(run.file, why);
    result.skipped = false;
  }
  result.record.status = RunStatus::pruned;
  result.record.message = why;
  reporter_.finished(run.run, result.record, result.file, result.skipped);
}

void Session::close() {
  if (!packs_) return;
  // Full packs were written while runs lasted; here the rest, and what was done anew goes from the
  // old ones.
  for (std::size_t i = 0; i < results_.size(); ++i)
    if (found_[i] && results_[i] && !results_[i]->skipped && !results_[i]->refused)
      packs_->replaced(found_[i]->path);
  const std::vector<std::string> problems = packs_->close();
  for (const std::string& problem : problems) reporter_.note(name_, problem);
  all_packed_ = problems.empty();
}

ExperimentResult Session::result() {
  ExperimentResult result;
  result.name = name_;
  result.verdicts = judge_all(plan_, results_);
  for (auto& run : results_)
    if (run) result.runs.push_back(std::move(*run));
  result.unstarted = plan_.size() - result.runs.size();
  if (result.unstarted > 0 && !failures_->reason().empty())
    reporter_.note(name_,
                   fmt::format("{}; {} of {} runs were not started: the same command starts them, "
                               "--on-fail continue in any case",
                               failures_->reason(), result.unstarted, plan_.size()));
  result.code = exit_code(result.runs);
  if (result.code == ExitCode::done && !all_packed_) result.code = ExitCode::data;
  if (result.code == ExitCode::done && any_missed(result.verdicts)) result.code = ExitCode::failed;
  return result;
}

}  // namespace assay
