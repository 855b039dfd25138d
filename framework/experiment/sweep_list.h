// `list: trials.csv` or `list: trials.json`: settings from a table, one run for each record.
//
//   model.width,optimizer.learning_rate,seed      # CSV: keys first; an empty field sets nothing
//   64,1e-3,1
//
//   [{"model": {"width": 64}, "seed": 1}, {"model.width": 32}]      # JSON
//
// The file is relative to the one that names it. CSV also with semicolons or tabs (.tsv).
#pragma once

#include <string>

#include "config/problems.h"
#include "config/value.h"

namespace assay {

/// The list itself where it is one; what is wrong with the file becomes a problem.
Value sweep_list(const std::string& path, const Value& written, Problems& problems);

}  // namespace assay
