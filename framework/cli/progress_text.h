// What a user sees of runs under way, as text: the bar, the lines of a log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/terminal.h"
#include "experiment/reporter.h"

namespace assay {

/// Several runs together.
struct OverallProgress {
  std::int64_t runs = 0;  // planned; 0: not known
  std::int64_t finished = 0, active = 0;
  std::int64_t step = 0, steps = 0;  // of all runs; 0 steps: not known
  double tokens_per_second = 0;
  double seconds_left = -1;
  std::optional<double> best;  // least validation loss of those that are done
};

/// width characters, filled from the left. REQUIRES fraction in 0..1.
std::string bar_text(double fraction, int width, bool unicode);

/// One line no wider than the terminal's width - 1, the least important figures left out first.
std::string bar_line(const Progress& progress, const Terminal& terminal);
std::string overall_bar_line(const OverallProgress& overall, const Terminal& terminal);

/// For a log: "step 150/900  loss 2.4031  val 2.4512  95.1k tokens/s  0:12 left".
std::string log_line(const Progress& progress);
std::string overall_log_line(const OverallProgress& overall);

/// "seed=1: done, 900 steps in 12.3 s, val/loss 1.8925 -> results/gpt/seed=1.h5"; in a window the
/// file only if it fits.
std::string finished_line(const std::string& run, const RunRecord& record, const std::string& file,
                          bool skipped, const Terminal& terminal);

}  // namespace assay
