// From a YAML file to runs and their result files: what `assay run` and `assay check` do.
//
//   ExperimentRequest request;
//   request.file = "experiments/quickstart.yaml";
//   request.overrides = {"seed=1,2"};
//   ExperimentResult result = run_experiment(request, reporter);
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/api.h"
#include "base/error.h"
#include "experiment/expectations.h"
#include "experiment/reporter.h"
#include "results/record.h"
#include "results/run_set.h"

namespace assay {

/// What to do with runs that were stopped or killed: continue them, begin them anew, or continue
/// them and refuse to begin any.
enum class Resume { automatic, never, must };

struct ExperimentRequest {
  std::filesystem::path file;
  std::filesystem::path frozen;  // instead: a folder whose plan is run as it stands there
  /// Of a frozen plan: failed runs are done again; only those, or all that are not complete.
  enum class Again { none, failed, unfinished };
  Again again = Again::none;
  std::vector<std::string> overrides;          // "a.b=value", in order
  std::vector<std::filesystem::path> plugins;  // searched first
  std::filesystem::path output;                // -o: the file of the one run
  std::filesystem::path folder;  // --out: the folder of several; default results/<experiment>
  std::vector<std::filesystem::path> started_by;  // experiments that start from this one's result
  bool force = false;                             // run anew what is complete
  Resume resume = Resume::automatic;
  bool inexact = false;  // continue also where the bits may differ
  /// Failed runs after which no other starts (failure_watch.h).
  std::optional<std::int64_t> stop_after;
  /// Asked, with the number of runs that have no result yet, before anything is written; false:
  /// none is run. Empty: nobody is asked.
  std::function<bool(std::int64_t runs)> confirm;
  bool isolate = false;          // each run in a process of its own: a crash costs one run
  int threads = 0;               // size of the pool; 0: available_cores()
  std::optional<double> memory;  // bytes that runs may take together; default: most of what is free
  int jobs = 0;                  // runs in flight; 0: as many as threads
};

struct RunResult {
  std::string run, file;
  bool skipped = false;  // was complete already
  RunRecord record;      // without checkpoints
  // What kept it from being run or written: its status is failed then, but nothing was found about
  // it, and its file stands as it was.
  std::optional<ExitCode> refused;
  void refuse(const std::string& name, std::uint64_t seed, ExitCode code, const std::string& why);
};

struct ExperimentResult {
  std::string name;
  std::vector<RunResult> runs;  // in the order of the plan
  std::size_t unstarted = 0;    // runs of the plan that are not there
  std::vector<Verdict> verdicts;
  ExitCode code = ExitCode::done;
};

/// As those of files, for tables.
ASSAY_API std::vector<LoadedRun> loaded_runs(std::vector<RunResult> runs);

/// Validates everything before anything runs: throws Error(usage) with every problem,
/// Error(plugin), Error(data). A run that fails later is in the result, with its message, and does
/// not disturb the others.
ASSAY_API ExperimentResult run_experiment(const ExperimentRequest& request, Reporter& reporter);

/// What stands at a run's file before it starts.
/// failed: it stays so, in a sweep.
enum class Earlier { nothing, complete, unfinished, failed };

/// What a run costs, from a step and an evaluation of it that were tried and timed.
struct RunCost {
  std::int64_t parameters = 0;
  double flops_per_step = 0;  // forward and backward, of all shards
  double memory_bytes = 0;  // parameters, optimizer, gradients and activations at this many threads
  double seconds = 0;       // steps and evaluations, with all threads
  double disk_bytes = 0;  // of the result file: weights and optimizer, once more if the best differ
};

/// What a run would be and cost, found without training.
struct RunCheck {
  std::string run, file;
  Value config;         // resolved
  bool probe = false;   // then it has no cost that is known
  bool counts = false;  // learns by counting: no steps, no time that is known
  std::int64_t steps = 0;
  RunCost cost;
  /// Of a search, whose later runs are not known: as many as there may be for each of the first.
  double stands_for = 1;
  std::int64_t least_steps = 0;  // if it is pruned as early as can be
  Earlier earlier = Earlier::nothing;
  std::vector<std::string> expects;  // "val/loss: 1.87 to 1.915 (mean over seeds)"
  std::vector<std::string> notes;    // "2 validation tokens: no window of 8"
};
/// Writes nothing. Runs that differ in nothing that costs (seed, rates) are tried once.
ASSAY_API std::vector<RunCheck> check_experiment(const ExperimentRequest& request);

}  // namespace assay
