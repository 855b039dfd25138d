// Running one planned run and writing its file.
#pragma once

#include <optional>
#include <string>

#include "base/api.h"
#include "experiment/plan.h"
#include "experiment/reporter.h"

namespace assay {

struct EarlierOptions {
  bool force = false;  // replace whatever is there
  Resume resume = Resume::automatic;
  bool other_config = false;  // the file's run may have another configuration, or have failed
  bool refuse_complete = false;
};
struct ExecuteOptions : EarlierOptions {
  int threads = 1;
  bool inexact = false;
  std::string change;  // of the run's settings, for its history, when it is continued
};

/// Throws Error(usage) if the file holds another run, Error(data) if it is damaged.
ASSAY_API Earlier find_earlier(const PlannedRun& run, const EarlierOptions& options);

/// Trains (or continues) under the run's lock and writes the file, whatever happens: a run that
/// fails is recorded with its message. Throws if the file cannot be written, or the run not be
/// continued to the same bits. The result has no checkpoints.
ASSAY_API RunRecord execute(const PlannedRun& run, const ExecuteOptions& options,
                            Reporter& reporter);

}  // namespace assay
