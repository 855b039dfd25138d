// What a metric came to: the figures that tables and `show` print.
#pragma once

#include <optional>

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

}  // namespace assay
