// What happens to a summed gradient before the optimizer sees it: the mean, a check, and clipping.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include "base/api.h"
#include "nn/parameters.h"

namespace assay {

/// Divides gradient by weight and scales it so that its global norm is at most clip (Pascanu,
/// Mikolov and Bengio, 2013, algorithm 1): by clip / norm, exactly. Returns the norm before
/// clipping, summed in double over all parameters at once. A norm that is not finite is returned as
/// it is, and gradient is left untouched.
ASSAY_API double mean_and_clip(std::span<float> gradient, double weight,
                               std::optional<double> clip);

/// For messages: a NaN as "nan" whatever its sign bit, which the processor chooses.
inline double unsigned_nan(double value) {
  return std::isnan(value) ? std::abs(value) : value;
}

/// "layer0/attention/q has nan at 17" for the first parameter whose gradient is not finite, or
/// empty.
ASSAY_API std::string first_not_finite(const Parameters& parameters, std::span<float> gradient);

}  // namespace assay
