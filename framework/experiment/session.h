// The runs of one experiment under way: what stands of each, the pool that they share, and what
// became of them.
//
//   Session session(request, reporter);
//   session.on_pool([&] {
//     session.begin("gpt", true);
//     session.add(std::move(runs));               // looks at their files
//     session.announce();
//     session.advance(session.whole());           // as many at once as jobs
//     session.close();
//   });
//   ExperimentResult result = session.result();
//
// Threads: one calls. Errors: from add, as find_earlier and check_writable; what happens to a run
// later is in its result.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "experiment/execute.h"
#include "experiment/experiment.h"
#include "experiment/failure_watch.h"
#include "experiment/packed_runs.h"
#include "experiment/plan.h"
#include "experiment/run_cost.h"

namespace assay {

class Member;

/// As far as a run is to go: so many completed steps, or its end.
struct Leg {
  std::size_t run = 0;
  std::optional<std::int64_t> until = {};
  Member* member = nullptr;  // it stays in memory on the way; null: it waits in its file
};

class Session {
 public:
  /// Both outlive the session.
  Session(const ExperimentRequest& request, Reporter& reporter);

  template <class Work>
  void on_pool(Work work) {
    if (request_.isolate)
      work();  // on this thread alone, so that the process may fork
    else
      pool_->run(work);
  }

  const ExperimentRequest& request() const { return request_; }
  Registry& registry() { return registry_; }
  Materials& materials() { return materials_; }
  Reporter& reporter() { return reporter_; }
  const std::vector<PlannedRun>& runs() const { return plan_; }
  const std::string& name() const { return name_; }

  /// sweep: of several runs, which may be packed, and of which failed ones stay as they are.
  /// retries: how often a run that fails is begun anew.
  void begin(std::string name, bool sweep, std::int64_t retries = 0);
  /// Failures are findings: they stop nothing, unless the request says so.
  void tolerate_failures();
  /// Gives the place of the first of them.
  std::size_t add(std::vector<PlannedRun> runs);
  /// Tells the reporter how much there is to do: all that was added, or so much.
  void announce();
  /// Runs that are neither complete nor left as failed.
  std::int64_t waiting() const;
  void announce(std::int64_t runs, std::int64_t steps);
  /// Every run to its end, in the order of the plan.
  std::vector<Leg> whole() const;
  /// Trains runs; what is as far already stays. Those that measure time run alone, at the end.
  void advance(const std::vector<Leg>& legs);
  /// As many runs may be added, in all, while others are under way.
  void reserve(std::size_t runs);
  /// The same as jobs come free, from what `next` says until it says nothing; `ended` is told of
  /// each. They are called by one thread at a time.
  void advance(const std::function<std::optional<Leg>()>& next,
               const std::function<void(const Leg&)>& ended);
  /// Stands in the history of every run that begins from here on.
  void remark(std::string text) { remark_ = std::move(text); }
  /// Whether anything may start: no signal, and not too many failures.
  bool may_start() const;
  /// Null before it has started.
  const RunResult* result_of(std::size_t run) const;
  /// Writes into a run that waits that it goes no further, and why.
  void prune(std::size_t run, const std::string& why);
  void close();
  /// Once, after all.
  ExperimentResult result();

 private:
  Resume resume_of(const std::vector<PlannedRun>& runs);
  double need_of(const PlannedRun& run);
  void refuse_without_memory(const PlannedRun& run, double need) const;
  std::int64_t jobs() const { return request_.jobs > 0 ? request_.jobs : threads_; }
  void advance_apart(const std::vector<Leg>& legs, std::int64_t jobs);
  void run_one(const Leg& leg);
  ExecuteOptions options_of(const Leg& leg) const;
  RunResult executed(const Leg& leg);
  /// Counts it if so.
  bool begins_anew(const RunResult& result, std::int64_t& retries);
  void settle(const Leg& leg, RunResult result, bool ran);
  std::optional<RunResult> standing(const Leg& leg);

  const ExperimentRequest& request_;
  Reporter& reporter_;
  Registry registry_;
  Materials materials_;
  int threads_;
  std::unique_ptr<Pool> pool_;
  std::optional<FailureWatch> failures_;
  MemoryNeeds memory_;
  double budget_;  // bytes
  std::string name_, remark_;
  std::int64_t retries_ = 0;
  std::optional<Resume> resume_;  // as asked, or what it means for a sweep that was begun
  bool sweep_ = false, all_packed_ = true;
  std::vector<PlannedRun> plan_;
  std::vector<Earlier> earlier_;
  std::vector<double> needs_;  // bytes
  std::optional<PackedRuns> packs_;
  std::vector<const PackedRuns::Found*> found_;  // what stands of each in a pack
  std::vector<std::optional<RunResult>> results_;
  std::set<std::filesystem::path> writable_;
};

}  // namespace assay
