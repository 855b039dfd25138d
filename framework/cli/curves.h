// Metrics of several runs drawn over one another, once or again and again while they run: the
// options --curves, --log, --smooth and --watch of `compare` and `show`.
#pragma once

#include <string>
#include <vector>

#include "base/function_ref.h"
#include "cli/arguments.h"
#include "cli/terminal.h"
#include "results/run_set.h"

namespace assay {

struct CurveOptions {
  std::vector<std::string> metrics;  // not empty
  bool logarithmic = false;
  double smooth = 0;  // weight of exponential_mean()
  bool watch = false;
};

std::vector<OptionSpec> curve_options();
/// Whether curves are asked for; the other options are refused without them.
bool wants_curves(const std::string& verb, const Arguments& arguments);
/// Throws Error(usage), with a near match, for a metric that no run has. REQUIRES wants_curves().
CurveOptions read_curve_options(const Arguments& arguments, const RunSet& set);

/// A run that is drawn: in the colour of its group, and where there is none with its letter.
struct DrawnRun {
  const LoadedRun* run = nullptr;
  std::size_t group = 0;
  std::string label, name;  // name: for the legend, once for each group
};

/// "A", ..., "Z", "AA", ...
std::string label_of(std::size_t index);

/// A plot for each metric, in at most so many rows in all (0: as many as they like).
std::string curves_text(const std::vector<DrawnRun>& runs, const CurveOptions& options,
                        const Terminal& terminal, int most_rows = 0);

struct WatchedRuns {
  RunSet set;
  std::vector<DrawnRun> runs;  // of set
};
/// Draws what load gives until no run is running any more, or a signal asks to stop. Where lines
/// cannot be drawn again, it writes one for each run that got on.
void watch_curves(FunctionRef<WatchedRuns()> load, const CurveOptions& options);

}  // namespace assay
