// Curves drawn with characters: braille dots where the locale is UTF-8, else plain ASCII.
//
//   Plot plot;
//   plot.lines.push_back({"train/loss", smoothed(record.metrics.at("train/loss"))});
//   plot.points.push_back({"val/loss", record.metrics.at("val/loss")});
//   write_out(plot.text(terminal));
//
// Values that are not finite are left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "results/record.h"

namespace assay {

struct Curve {
  std::string name;
  Series series;
};

struct Plot {
  std::vector<Curve> lines, points;
  std::optional<Curve> level;  // a horizontal line at its one value
  int rows = 12;

  /// Axes, curves and a legend, at most as wide as the terminal (and 100); empty if there is
  /// nothing to draw.
  std::string text(const Terminal& terminal) const;
};

/// Each value replaced by the mean of its neighbourhood, a hundredth of the series to either side
/// (less near the ends, so that these stay what they are).
Series smoothed(const Series& series);

/// Round numbers (1, 2 or 5 times a power of ten apart) from low to high: as many as possible up to
/// count.
std::vector<double> ticks(double low, double high, int count);

}  // namespace assay
