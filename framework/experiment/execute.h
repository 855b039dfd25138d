// Running one planned run and writing its file.
#pragma once

#include <optional>

#include "base/api.h"
#include "experiment/plan.h"
#include "experiment/reporter.h"

namespace assay {

/// What stands at a run's file before it starts.
enum class Earlier { nothing, complete, unfinished };

/// Throws Error(usage) if the file holds another run, Error(data) if it is damaged; unless force,
/// which replaces it.
ASSAY_API Earlier find_earlier(const PlannedRun& run, bool force);

/// Trains (or continues) and writes the file, whatever happens: a run that fails is recorded with
/// its message. Throws only if the file cannot be written. The result has no checkpoints.
ASSAY_API RunRecord execute(const PlannedRun& run, Earlier earlier, int threads,
                            Reporter& reporter);

}  // namespace assay
