// What a run costs, from a row of its batch that is tried.
#pragma once

#include <map>
#include <string>

#include "experiment/build.h"
#include "experiment/experiment.h"
#include "experiment/plan.h"

namespace assay {

double bytes_of(const State& state);

/// Runs that have this in common cost the same.
std::string what_costs(const RunSetup& setup);

/// Work and memory: everything that a forward and backward pass does grows with the rows, so one
/// row tells the rest. Sets flops_per_step and memory_bytes.
void measure_row(const PlannedRun& run, int threads, BuiltRun& built, Trainer& trainer,
                 RunCost& cost);

/// The peak memory of runs, each kind of which is tried once. Threads: one calls.
class MemoryNeeds {
 public:
  explicit MemoryNeeds(int threads) : threads_(threads) {}
  /// Bytes; 0 where that is not known: a probe, a model that counts.
  double of(const PlannedRun& run);

 private:
  int threads_;
  std::map<std::string, double> known_;  // by what_costs
};

/// Bytes that this process could take now: of the machine, and of its cgroup; +infinity where
/// neither is told.
double available_memory();

}  // namespace assay
