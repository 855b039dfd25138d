// What every way of running has in common: the record at the start, training, the file at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiment/build.h"
#include "experiment/execute.h"
#include "experiment/plan.h"
#include "experiment/reporter.h"
#include "results/live_run.h"
#include "results/record.h"
#include "train/progress.h"

namespace assay {

/// Of a run that starts now; of a probe, or one that nothing is known of but its plan.
RunRecord new_record(const PlannedRun& run);
RunRecord new_record(const PlannedRun& run, const BuiltRun& built);
/// Tells the files of this run from those of an earlier one of the same name.
std::string new_id();

/// Steps, evaluations and samples; what goes wrong is put into the record.
void train(const PlannedRun& run, BuiltRun& built, Trainer& trainer, RunRecord& record,
           Keeper& keeper, std::optional<std::int64_t> until, Reporter& reporter);

/// Of the checkpoint "final"; empty without one.
std::string weights_digest(const RunRecord& record);

/// Judges what was expected, and writes the file, or into a pack.
Executed judge_and_finish(const PlannedRun& run, const ExecuteOptions& options, RunRecord record,
                          LiveRun& live);

}  // namespace assay
