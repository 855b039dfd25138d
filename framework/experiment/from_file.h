// Runs that start from a result file instead of an experiment file: `assay resume`, `assay rerun`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/api.h"
#include "experiment/experiment.h"
#include "experiment/reporter.h"
#include "results/record.h"

namespace assay {

struct FromFileRequest {
  std::filesystem::path file;
  std::vector<std::string> overrides;          // resume: train.steps only, and how it is kept
  std::vector<std::filesystem::path> plugins;  // searched first
  std::filesystem::path output;                // rerun: the new file
  int threads = 0;
  bool inexact = false;
  bool force = false;  // rerun: replace the new file
};

/// Continues the run in its file. One that is complete is skipped, unless more steps are asked for.
/// Throws Error(usage) for any other change, with what differs.
ASSAY_API RunResult resume_run(const FromFileRequest& request, Reporter& reporter);

struct RerunResult {
  RunResult run;
  bool compared = false;   // else it was stopped, or failed
  std::string difference;  // empty: the same bits
};
/// Does a complete run again, or a pruned one as far as it got, into another file, and compares.
/// Throws Error(data) where program, plugins or data are others than then, unless inexact.
ASSAY_API RerunResult rerun(const FromFileRequest& request, Reporter& reporter);

}  // namespace assay
