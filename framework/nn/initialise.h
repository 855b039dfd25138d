// How a parameter's first numbers are drawn. Values; drawn by (seed, path, index), so adding a
// parameter changes no other's numbers.
#pragma once

#include <span>

#include "base/api.h"
#include "base/random.h"

namespace assay {

struct Initialiser {
  enum class Kind { constant, normal, uniform } kind = Kind::constant;
  double a = 0;  // the constant, the standard deviation, or the bound

  static Initialiser constant(double value) { return {Kind::constant, value}; }
  static Initialiser normal(double standard_deviation) {
    return {Kind::normal, standard_deviation};
  }
  /// Uniform in +-bound.
  static Initialiser uniform(double bound) { return {Kind::uniform, bound}; }

  ASSAY_API void fill(std::span<float> values, const Random& random) const;
};

}  // namespace assay
