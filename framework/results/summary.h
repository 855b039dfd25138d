// What a metric came to: the figures that tables and `show` print.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/api.h"
#include "results/record.h"

namespace assay {

struct Extreme {
  double value = 0;
  std::int64_t step = 0;
};

/// The lowest value and the first step that has it. NaN is never the lowest: without any number
/// there is none.
ASSAY_API std::optional<Extreme> minimum(const Series& series);
/// The value of the last step, NaN too; none if the series is empty.
ASSAY_API std::optional<double> last(const Series& series);

/// The value at exactly this step; none if the series has no such step.
ASSAY_API std::optional<double> value_at(const Series& series, std::int64_t step);

/// A function of a series by its name: first, last, min, max, mean, step_of_min, step_of_max, at
/// (needs the step), auc (area below the curve over steps, by trapezoids), count. min and max pass
/// over NaN, the others do not; none where there is nothing to say. REQUIRES one of
/// measure_names().
ASSAY_API std::optional<double> measure(const Series& series, std::string_view function,
                                        std::int64_t step = 0);
ASSAY_API std::vector<std::string> measure_names();

}  // namespace assay
