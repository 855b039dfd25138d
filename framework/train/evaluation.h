// The loss of a model on the windows that the section `evaluate` describes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/api.h"
#include "interfaces/dataset.h"
#include "train/options.h"
#include "train/shards.h"

namespace assay {

class ASSAY_API Evaluation {
 public:
  /// Throws Error(data) if the validation split has no window. request.context is the window
  /// length.
  Evaluation(const Dataset& dataset, const Objective& objective, const EvaluateOptions& options,
             const Request& request);

  /// Sums over all windows; the same numbers for any batch size and number of threads.
  BatchSum run(Shards& shards) const;

 private:
  const Dataset& dataset_;
  const Objective& objective_;
  std::uint64_t seed_ = 0;
  Request request_;
  std::vector<Example> examples_;
};

}  // namespace assay
