// Whose weights a member of a population has: stretches of steps, each with the settings under
// which it was trained, and whose run that was. What a result file holds of it is a table.
//
//   Lineage lineage = {{0, "member=3", config}, {50, "member=1", other}};
//   record.tables[kLineage] = lineage_table(lineage);
//   for (const Stretch& stretch : read_lineage(record)) ...
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/measured_table.h"
#include "config/value.h"
#include "results/record.h"

namespace assay {

inline constexpr const char* kLineage = "lineage";

struct Stretch {
  std::int64_t from = 0;  // completed updates
  std::string run;
  Value config;  // resolved
};
using Lineage = std::vector<Stretch>;  // from 0, increasing

/// Rows: the stretches; columns: step, run, and each key that differs between any two of them.
MeasuredTable lineage_table(const Lineage& lineage);
/// Empty of a run that is no member.
Lineage read_lineage(const RunRecord& record);
/// Whether what happened up to a step is the same in both.
bool same_up_to(const Lineage& a, const Lineage& b, std::int64_t step);

}  // namespace assay
