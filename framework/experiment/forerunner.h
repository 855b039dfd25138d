// Experiments that others start from: `model: {from: pretrain.yaml}`, and `tokenizer: {from:
// pretrain.yaml}`, stand for the result file of the one run of that experiment, which `assay run`
// makes first where it is not there.
#pragma once

#include "experiment/compose.h"

namespace assay {

/// In place of a digest: the weights are not there yet.
inline constexpr const char* kUnknownDigest = "known when it has been run";

/// Puts the files of their results in place of experiments. Those that have no complete result go
/// to composed.first; what starts from them has the options of their model, so that all else can be
/// checked. Throws Error(usage) with all problems so far where an experiment is not there, is wrong
/// itself, has several runs, or starts from itself.
void find_forerunners(ComposedExperiment& composed, const ExperimentRequest& request,
                      Problems& problems);

/// Runs those that composed.first names. Throws Error, naming the experiment, if one fails; false:
/// a signal came.
bool run_forerunners(const ComposedExperiment& composed, Reporter& reporter);

}  // namespace assay
