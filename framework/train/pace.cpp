#include "train/pace.h"

namespace assay {

Pace training_pace(const TrainOptions& options, const Dataset& dataset, const Request& request) {
  Pace pace;
  pace.examples_per_step = static_cast<double>(options.batch * options.accumulate);
  pace.tokens_per_step = pace.examples_per_step * static_cast<double>(request.context);
  pace.examples_per_epoch = [&dataset, request] {
    return static_cast<double>(dataset.cover(Split::train, request).size());
  };
  return pace;
}

}  // namespace assay
