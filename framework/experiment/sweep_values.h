// The values of one key of a sweep, as a list or as a rule:
//
//   seed: [1, 2, 3]
//   model.dropout: {range: [0.1, 0.3], step: 0.1}                   # 0.1, 0.2, 0.3
//   train.steps: {linspace: [100, 300], points: 5}                  # 100, 150, 200, 250, 300
//   optimizer.learning_rate: {logspace: [1e-5, 1e-1], points: 5}    # 1e-05, 0.0001, ..., 0.1
//
// Both ends belong to it. A range counts in decimal, so that its values are those one would write,
// and none is lost to rounding; the values between the ends of linspace and logspace are rounded to
// twelve digits. logspace takes its ends as they are, not as exponents.
#pragma once

#include <string>
#include <vector>

#include "base/api.h"
#include "config/problems.h"
#include "config/value.h"

namespace assay {

/// At least one, all different; what is wrong becomes a problem, and none are returned. path names
/// the values in messages ("sweep.grid.seed").
ASSAY_API std::vector<Value> sweep_values(const std::string& path, const Value& written,
                                          Problems& problems);

}  // namespace assay
