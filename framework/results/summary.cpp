#include "results/summary.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

/// The first of the best values; NaN is never the best.
template <class Better>
std::optional<Extreme> extreme(const Series& series, Better better) {
  std::optional<Extreme> best;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double value = series.values[i];
    if (!std::isnan(value) && (!best || better(value, best->value)))
      best = Extreme{value, series.steps[i]};
  }
  return best;
}

std::optional<Extreme> maximum(const Series& series) {
  return extreme(series, [](double a, double b) { return a > b; });
}

double area(const Series& series) {
  double sum = 0;
  for (std::size_t i = 1; i < series.values.size(); ++i)
    sum += (series.values[i] + series.values[i - 1]) / 2 *
           static_cast<double>(series.steps[i] - series.steps[i - 1]);
  return sum;
}

std::optional<double> value_of(const std::optional<Extreme>& extreme) {
  return extreme ? std::optional(extreme->value) : std::nullopt;
}

std::optional<double> step_of(const std::optional<Extreme>& extreme) {
  return extreme ? std::optional(static_cast<double>(extreme->step)) : std::nullopt;
}

}  // namespace

std::optional<Extreme> minimum(const Series& series) {
  return extreme(series, [](double a, double b) { return a < b; });
}

std::optional<double> last(const Series& series) {
  if (series.values.empty()) return std::nullopt;
  return series.values.back();
}

std::optional<double> value_at(const Series& series, std::int64_t step) {
  const auto found = std::lower_bound(series.steps.begin(), series.steps.end(), step);
  if (found == series.steps.end() || *found != step) return std::nullopt;
  return series.values[static_cast<std::size_t>(found - series.steps.begin())];
}

std::optional<double> measure(const Series& series, std::string_view function, std::int64_t step) {
  if (function == "count") return static_cast<double>(series.values.size());
  if (series.values.empty()) return std::nullopt;
  if (function == "first") return series.values.front();
  if (function == "last") return series.values.back();
  if (function == "at") return value_at(series, step);
  if (function == "min") return value_of(minimum(series));
  if (function == "max") return value_of(maximum(series));
  if (function == "step_of_min") return step_of(minimum(series));
  if (function == "step_of_max") return step_of(maximum(series));
  if (function == "auc") return area(series);
  double sum = 0;
  for (const double value : series.values) sum += value;
  return sum / static_cast<double>(series.values.size());
}

std::vector<std::string> measure_names() {
  return {"first", "last",        "min",         "max", "mean",
          "at",    "step_of_min", "step_of_max", "auc", "count"};
}

}  // namespace assay
