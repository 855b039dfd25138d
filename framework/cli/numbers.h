// Figures of a run as people read them in a terminal (base/text.h has counts, sizes and durations).
#pragma once

#include <string>

namespace assay {

/// Seconds as a clock: "0:05", "12:34", "1:02:03"; "-:--" where they are not known (negative or not
/// finite).
std::string clock_text(double seconds);
/// Per second, three figures: "950", "95.1k", "1.2M"; "-" where it is not known.
std::string rate_text(double per_second);
/// Floating-point operations, three figures: "1.46 GFLOP", "12 TFLOP".
std::string work_text(double operations);
/// A loss or another metric: four decimals from 0.001 to 10,000, six figures elsewhere; "nan",
/// "inf".
std::string metric_text(double value);
/// Shortest text that reads back as the same number.
std::string exact_text(double value);

}  // namespace assay
