#include "results/summary.h"

#include <cmath>

namespace assay {

std::optional<Extreme> minimum(const Series& series) {
  std::optional<Extreme> least;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double value = series.values[i];
    if (!std::isnan(value) && (!least || value < least->value))
      least = Extreme{value, series.steps[i]};
  }
  return least;
}

std::optional<double> last(const Series& series) {
  if (series.values.empty()) return std::nullopt;
  return series.values.back();
}

}  // namespace assay
