#include "cli/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/canvas.h"

namespace assay {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

struct Point {
  double x, y;
};

std::vector<Point> finite_points(const Series& series) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < series.steps.size(); ++i)
    if (std::isfinite(series.values[i]))
      points.push_back({static_cast<double>(series.steps[i]), series.values[i]});
  return points;
}

/// What can be drawn, with y as it is drawn: its logarithm on a log scale.
std::vector<Point> drawn_points(const Series& series, bool logarithmic) {
  std::vector<Point> points = finite_points(series);
  if (!logarithmic) return points;
  points.erase(
      std::remove_if(points.begin(), points.end(), [](const Point& p) { return p.y <= 0; }),
      points.end());
  for (Point& point : points) point.y = std::log10(point.y);
  return points;
}

/// The value of the polyline at x. REQUIRES points in order of x, and x within them.
double interpolated(const std::vector<Point>& points, double x) {
  const auto above = std::lower_bound(points.begin(), points.end(), x,
                                      [](const Point& p, double at) { return p.x < at; });
  if (above == points.begin()) return above->y;
  if (above == points.end()) return points.back().y;
  const Point& a = *(above - 1);
  const Point& b = *above;
  return b.x > a.x ? a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x) : b.y;
}

class Axes {
 public:
  Axes(Range x, Range y, const Canvas& canvas)
      : x_(x), y_(y), right_(canvas.dot_columns() - 1), bottom_(canvas.dot_rows() - 1) {}
  int column(double x) const {
    return static_cast<int>(std::lround((x - x_.low) / (x_.high - x_.low) * right_));
  }
  int row(double y) const {
    return static_cast<int>(std::lround((y_.high - y) / (y_.high - y_.low) * bottom_));
  }
  double x_at(int column) const { return x_.low + (x_.high - x_.low) * column / right_; }

 private:
  Range x_, y_;
  int right_, bottom_;
};

/// Calls dot(x, y) for each dot of the line.
template <class Dot>
void trace(const Axes& axes, const std::vector<Point>& points, Dot dot) {
  if (points.empty()) return;
  const int first = axes.column(points.front().x), last = axes.column(points.back().x);
  int previous = axes.row(points.front().y);
  for (int column = first; column <= last; ++column) {
    const double x = std::clamp(axes.x_at(column), points.front().x, points.back().x);
    const int row = axes.row(interpolated(points, x));
    const int from = row > previous ? previous + 1 : row, to = row < previous ? previous - 1 : row;
    for (int y = std::min(from, row); y <= std::max(to, row); ++y) dot(column, y);
    previous = row;
  }
}

void draw_line(Canvas& canvas, const Axes& axes, const Curve& curve,
               const std::vector<Point>& points, bool colour) {
  const bool letters = !curve.letter.empty() && !colour;
  trace(axes, points, [&](int x, int y) {
    if (letters)
      canvas.mark(x, y, curve.letter);
    else
      canvas.dot(x, y, curve.style);
  });
}

/// What the axis of values says at each of its ticks, as many decimals as they need.
struct Labels {
  std::vector<double> values;
  std::vector<std::string> texts;
  int width = 0;
};

Labels labels_of(const Range& values, bool logarithmic, int rows) {
  const int count = std::clamp(rows / 2, 2, 6);
  Labels labels;
  if (logarithmic) {
    for (const double value :
         log_ticks(std::pow(10, values.low), std::pow(10, values.high), count)) {
      labels.values.push_back(std::log10(value));
      labels.texts.push_back(fmt::format("{:.4g}", value));
    }
  } else {
    labels.values = ticks(values.low, values.high, count);
    const double gap = labels.values.size() > 1 ? labels.values[1] - labels.values[0] : 1;
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(gap) - 1e-9)), 0, 6);
    for (const double value : labels.values)
      labels.texts.push_back(std::abs(value) < 1e6 && gap >= 1e-6
                                 ? fmt::format("{:.{}f}", value, decimals)
                                 : fmt::format("{:.3g}", value));
  }
  for (const std::string& text : labels.texts)
    labels.width = std::max(labels.width, static_cast<int>(text.size()));
  return labels;
}

/// Names of curves with what they are drawn with, in as many lines as they need.
std::string legend_of(const std::vector<std::string>& entries, int indent, int width) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string out, line;
  for (const std::string& entry : entries) {
    if (!line.empty() && indent + display_width(line) + 3 + display_width(entry) > width) {
      out += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : "   ") + entry;
  }
  return out + margin + line + "\n";
}

/// Labels below the horizontal axis, each under its column where there is room.
std::string step_labels(const Axes& axes, const Range& steps, int columns, int dots_per_column) {
  std::string line(static_cast<std::size_t>(columns), ' ');
  std::size_t free_from = 0;
  for (const double step : ticks(steps.low, steps.high, std::max(2, columns / 10))) {
    if (step != std::floor(step)) continue;
    const std::string label = fmt::format("{:.0f}", step);
    const int centre = axes.column(step) / dots_per_column;
    const int start = std::clamp(centre - static_cast<int>(label.size()) / 2, 0,
                                 std::max(0, columns - static_cast<int>(label.size())));
    if (static_cast<std::size_t>(start) < free_from) continue;
    line.replace(static_cast<std::size_t>(start), label.size(), label);
    free_from = static_cast<std::size_t>(start) + label.size() + 1;
  }
  return line.erase(line.find_last_not_of(' ') + 1);
}

}  // namespace

Series exponential_mean(const Series& series, double weight) {
  Series out = series;
  double mean = 0, share = 1;  // what the start still weighs
  for (double& value : out.values) {
    if (!std::isfinite(value)) continue;
    mean = weight * mean + (1 - weight) * value;
    share *= weight;
    value = mean / (1 - share);
  }
  return out;
}

Series smoothed(const Series& series) {
  Series out;
  for (const Point& point : finite_points(series)) {
    out.steps.push_back(static_cast<std::int64_t>(point.x));
    out.values.push_back(point.y);
  }
  const std::vector<double> raw = out.values;
  const std::size_t reach = raw.size() / 100;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const std::size_t half = std::min({reach, i, raw.size() - 1 - i});
    double sum = 0;
    for (std::size_t k = i - half; k <= i + half; ++k) sum += raw[k];
    out.values[i] = sum / static_cast<double>(2 * half + 1);
  }
  return out;
}

std::vector<double> ticks(double low, double high, int count) {
  if (!(high > low) || !std::isfinite(high - low)) return {low};
  double power = std::pow(10, std::floor(std::log10((high - low) / std::max(1, count))));
  for (;; power *= 10) {
    for (const double nice : {1.0, 2.0, 5.0}) {
      const double step = nice * power;
      const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
      if (last - first + 1 > std::max(1, count)) continue;
      std::vector<double> out;
      for (double k = first; k <= last; ++k) out.push_back(k * step + 0.0);  // never -0
      return out;
    }
  }
}

std::vector<double> log_ticks(double low, double high, int count) {
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  std::vector<double> out;
  for (int power = first - 1; power <= last; ++power)
    for (const double nice : {1.0, 2.0, 5.0}) {
      const double value = nice * std::pow(10, power);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) out.push_back(value);
    }
  if (static_cast<int>(out.size()) <= count) return out.size() < 3 ? ticks(low, high, count) : out;
  out.clear();
  const int apart = (last - first) / std::max(1, count) + 1;
  for (int power = first; power <= last; power += apart) out.push_back(std::pow(10, power));
  return out.empty() ? ticks(low, high, count) : out;
}

std::string Plot::text(const Terminal& terminal) const {
  Range steps, values;
  for (const auto* curves : {&lines, &points})
    for (const Curve& curve : *curves)
      for (const Point& point : drawn_points(curve.series, logarithmic)) {
        steps.include(point.x);
        values.include(point.y);
      }
  if (steps.empty()) return "";
  const std::vector<Point> levels =
      level ? drawn_points(level->series, logarithmic) : std::vector<Point>();
  for (const Point& point : levels) values.include(point.y);
  if (steps.low == steps.high) steps.include(steps.low + 1);
  if (values.low == values.high) {
    const double margin = std::max(0.5, std::abs(values.low) * 0.05);
    values.include(values.low - margin);
    values.include(values.high + margin);
  }

  const bool unicode = terminal.unicode;
  const Labels labels = labels_of(values, logarithmic, rows);
  const int margin = labels.width, width = std::min(terminal.width, 100);
  const int columns = std::max(10, width - margin - 3);
  Canvas canvas(columns, rows, terminal);
  const Axes axes(steps, values, canvas);
  for (const Curve& curve : lines)
    draw_line(canvas, axes, curve, drawn_points(curve.series, logarithmic), terminal.colour);
  const std::string dot = unicode ? "●" : "o", dash = unicode ? "┄" : "-";
  for (const Curve& curve : points)
    for (const Point& point : drawn_points(curve.series, logarithmic))
      canvas.mark(axes.column(point.x), axes.row(point.y), dot, curve.style.value_or(Style::cyan));
  for (const Point& point : levels) canvas.level(axes.row(point.y), dash, Style::yellow);

  std::string out;
  for (int r = 0; r < rows; ++r) {
    std::string label;
    for (std::size_t i = 0; i < labels.values.size(); ++i)
      if (axes.row(labels.values[i]) / canvas.dots_down() == r) label = labels.texts[i];
    const char* edge = unicode ? (label.empty() ? "│" : "┤") : (label.empty() ? "|" : "+");
    std::string line = fmt::format("{:>{}} {}{}", label, margin, edge, canvas.row(r));
    out += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  }
  const std::string indent(static_cast<std::size_t>(margin) + 2, ' ');
  out += indent.substr(1) + (unicode ? "└" : "+");
  for (int c = 0; c < columns; ++c) out += unicode ? "─" : "-";
  out += "\n" + indent + step_labels(axes, steps, columns, canvas.dots_across()) + "\n";

  std::vector<std::string> legend;
  for (const Curve& curve : lines) {
    if (curve.name.empty()) continue;
    const bool letter = !curve.letter.empty() && !terminal.colour;
    const std::string drawn = letter ? curve.letter : unicode ? "⠤⠤" : "..";
    legend.push_back((curve.style ? styled(terminal, *curve.style, drawn) : drawn) + " " +
                     (letter || curve.letter.empty() ? "" : curve.letter + " ") + curve.name);
  }
  for (const Curve& curve : points)
    legend.push_back(styled(terminal, curve.style.value_or(Style::cyan), dot) + " " + curve.name);
  if (level) legend.push_back(styled(terminal, Style::yellow, dash + dash) + " " + level->name);
  return out + legend_of(legend, margin + 2, width);
}

}  // namespace assay
