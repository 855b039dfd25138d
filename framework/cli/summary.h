// One result file told to a reader: what the run was and how it went.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "config/value.h"
#include "results/record.h"

namespace assay {

enum class Samples { latest, all };

/// samples: those of the latest evaluation that has some, or of every one.
std::string summary_text(const RunRecord& record, const std::string& file, const Terminal& terminal,
                         Samples samples = Samples::latest);

/// {"name", "run", "status", "message", "seed", "parameters", "steps", "digest", "started",
/// "seconds", "metrics": {name: {"last", "min", "step_of_min"}}, "limit", "config", "config_hash",
/// "plugins", "environment", "data", "samples"}. limit is null where it is not known; min and
/// step_of_min are null where every value is NaN.
Value summary_json(const RunRecord& record);

}  // namespace assay
