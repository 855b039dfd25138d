// The workloads of `assay bench`: fixed work, timed on this machine.
//
//   BenchResult r = run_bench("gpt-char", 2, {});
//
// Times are medians; the share is of the peak of a large matrix product on as many threads,
// measured in the same minute.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/api.h"

namespace assay {

struct BenchWorkload {
  std::string name, work;  // "gpt-char", "D=64 H=4 L=2 N=64 B=32, AdamW"
};

struct BenchResult {
  std::string workload;
  int threads = 0;
  double milliseconds = 0;       // median per step, call or start
  double per_second = 0;         // steps, calls or tokens
  std::string unit;              // "step", "call", "token", "start"
  double tokens_per_second = 0;  // 0 where there are none
  double gflops = 0;             // GFLOP/s; 0 where the work is not counted
  double peak_gflops = 0;        // of this machine at these threads
  double megabytes = 0;          // peak resident memory, for start
};

ASSAY_API std::vector<BenchWorkload> bench_workloads();
/// Throws Error(usage) for an unknown name. folders: where plugins are searched first.
ASSAY_API BenchResult run_bench(const std::string& workload, int threads,
                                const std::vector<std::filesystem::path>& folders);

}  // namespace assay
