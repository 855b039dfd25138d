// Runs in processes of their own: one that crashes, calls exit or takes all memory is a failed run,
// and the others go on.
//
//   IsolatedRuns apart(plan, reporter, in_child, [&](std::size_t run, RunResult result) { ... });
//   apart.start(0, options);
//   while (apart.in_flight() > 0) apart.listen();
//
// Threads: one calls, and the process has no other, so that it may fork. A signal that asks to stop
// is handed on. Errors: Error(failed) from start, if there can be no further process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "experiment/execute.h"
#include "experiment/experiment.h"
#include "experiment/plan.h"
#include "experiment/reporter.h"

namespace assay {

class IsolatedRuns {
 public:
  /// The outcome of a run, by its place in the plan; may start others.
  using Ended = std::function<void(std::size_t, RunResult)>;

  /// plan and reporter outlive it. in_child: what a new process does first.
  IsolatedRuns(const std::vector<PlannedRun>& plan, Reporter& reporter,
               std::function<void()> in_child, Ended ended);
  IsolatedRuns(const IsolatedRuns&) = delete;
  IsolatedRuns& operator=(const IsolatedRuns&) = delete;

  void start(std::size_t run, const ExecuteOptions& options);
  std::size_t in_flight() const { return children_.size(); }
  /// Until somebody has said something, or for a moment.
  void listen();

 private:
  struct Child {
    std::size_t run;
    pid_t process;
    int descriptor;
    ExecuteOptions options;
    std::string unread;
    bool finished = false;
    std::optional<std::pair<ExitCode, std::string>> refused;
    std::string crash;
  };
  bool hear(Child& child);
  void take(Child& child, const std::string& line);
  void end(Child& child);

  const std::vector<PlannedRun>& plan_;
  Reporter& reporter_;
  std::function<void()> in_child_;
  Ended ended_;
  std::vector<Child> children_;
  bool stopped_ = false;
};

}  // namespace assay
