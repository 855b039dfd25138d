// What probes measured, for the terminal and as JSON.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "config/value.h"
#include "results/record.h"

namespace assay {

/// Each table below its title; empty where the run has none.
std::string measured_text(const RunRecord& record, const Terminal& terminal);
/// {"growth": {"title": "...", "columns": {"layer": [1, 2], "length": [6.1, 6.57]}}}
Value measured_json(const RunRecord& record);

}  // namespace assay
