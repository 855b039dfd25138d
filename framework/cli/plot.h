// Curves drawn with characters: braille dots where the locale is UTF-8, else plain ASCII.
//
//   Plot plot;
//   plot.lines.push_back({"train/loss", smoothed(record.metrics.at("train/loss"))});
//   plot.points.push_back({"val/loss", record.metrics.at("val/loss")});
//   write_out(plot.text(terminal));
//
// Values that are not finite are left out, on a log scale also those that are not positive.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "results/record.h"

namespace assay {

struct Curve {
  std::string name;  // in the legend; empty: not there
  Series series;
  std::string letter = {};  // tells lines apart where there is no colour: they are drawn with it
  std::optional<Style> style = {};
};

struct Plot {
  std::vector<Curve> lines, points;
  std::optional<Curve> level;  // a horizontal line at its one value
  int rows = 12;
  bool logarithmic = false;  // the values; steps never are

  /// Axes, curves and a legend, at most as wide as the terminal (and 100); empty if there is
  /// nothing to draw.
  std::string text(const Terminal& terminal) const;
};

/// Each value replaced by the mean of its neighbourhood, a hundredth of the series to either side
/// (less near the ends, so that these stay what they are).
Series smoothed(const Series& series);

/// Exponential mean without the pull of its start: s = weight s + (1 - weight) v from s = 0, and
/// after n values s / (1 - weight^n). Values that are not finite stay, and enter no mean.
Series exponential_mean(const Series& series, double weight);

/// Round numbers (1, 2 or 5 times a power of ten apart) from low to high: as many as possible up to
/// count.
std::vector<double> ticks(double low, double high, int count);
/// The same for a log scale: 1, 2 and 5 times powers of ten, or powers alone, or as ticks() where
/// that leaves fewer than three. REQUIRES low > 0.
std::vector<double> log_ticks(double low, double high, int count);

}  // namespace assay
