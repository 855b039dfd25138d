// What a training step of a run amounts to, so that schedules may be in tokens or epochs.
#pragma once

#include "base/api.h"
#include "config/duration.h"
#include "interfaces/dataset.h"
#include "train/options.h"

namespace assay {

/// An epoch is as many examples as cover every target of the training split once: for text, its
/// tokens once, although every position starts a window. dataset outlives the result.
ASSAY_API Pace training_pace(const TrainOptions& options, const Dataset& dataset,
                             const Request& request);

}  // namespace assay
