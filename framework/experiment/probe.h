// Running a planned probe: what it measures goes into the record, where sweeps, compare, expect and
// show find it.
#pragma once

#include "experiment/plan.h"
#include "results/record.h"

namespace assay {

/// Scalars become metrics of step 0. What goes wrong is put into the record.
void measure_into(RunRecord& record, const PlannedRun& run);

}  // namespace assay
