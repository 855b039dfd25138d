// Power laws through measured points: how a loss falls with size, data or compute (Kaplan et al.,
// 2020, "Scaling laws for neural language models"; Hoffmann et al., 2022, "Training compute-optimal
// large language models", eq. 2):
//
//   y = E + sum over j of A_j x_j^(-a_j)
//
//   const PowerLaw law = fit_power_law({{1e4, 1e5, 1e6, 1e7}}, {3.1, 2.4, 2.0, 1.8});
//   law.terms[0].exponent                   // a, with its 95% interval
//
// Least squares by Levenberg and Marquardt (Marquardt, 1963), from several starts; intervals by
// Student's t with n - p degrees of freedom from the linearisation at the minimum.
#pragma once

#include <cstddef>
#include <vector>

#include "base/api.h"
#include "results/statistics.h"

namespace assay {

struct Estimate {
  double value = 0;
  Interval interval;  // 95%
};

struct PowerLaw {
  struct Term {
    Estimate factor, exponent;  // A, a
  };
  Estimate floor;  // E; 0 without interval where it was held there
  std::vector<Term> terms;
  std::size_t points = 0, degrees = 0;  // n, n - p
  double deviation = 0;                 // of the residuals: sqrt(sum of squares / (n - p))
  double explained = 0;                 // R^2
};

struct PowerLawOptions {
  bool floor = true;  // else E = 0
};

/// x: for each term, its value at each point. REQUIRES all above 0, as many as y, y finite. Throws
/// Error(usage) if there are not more points than numbers to find, if a term has fewer than three
/// different values (two without a floor), or if the points determine no minimum.
ASSAY_API PowerLaw fit_power_law(const std::vector<std::vector<double>>& x,
                                 const std::vector<double>& y, const PowerLawOptions& options = {});

}  // namespace assay
