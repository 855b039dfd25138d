// What `assay run --dry-run` prints: each run with what sets it apart and what it costs, and sums.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"
#include "experiment/experiment.h"

namespace assay {

std::string dry_run_text(const std::vector<RunCheck>& checks, const ExperimentRequest& request,
                         const Terminal& terminal);

}  // namespace assay
