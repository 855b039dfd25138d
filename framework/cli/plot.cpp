#include "cli/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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
  for (std::size_t i = 0; i < series.steps.size(); ++i) {
    if (std::isfinite(series.values[i])) {
      points.push_back({static_cast<double>(series.steps[i]), series.values[i]});
    }
  }
  return points;
}

/// Character cells, each of 2 x 4 dots (braille) or 1 x 2 (ASCII: upper ', lower ., both :).
class Canvas {
 public:
  Canvas(int columns, int rows, bool unicode)
      : columns_(columns),
        rows_(rows),
        across_(unicode ? 2 : 1),
        down_(unicode ? 4 : 2),
        dots_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 0),
        marks_(dots_.size()) {}

  int dot_columns() const { return columns_ * across_; }
  int dot_rows() const { return rows_ * down_; }

  void dot(int x, int y) {
    if (x < 0 || y < 0 || x >= dot_columns() || y >= dot_rows()) return;
    static constexpr int kBraille[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const int bit = across_ == 2 ? kBraille[y % 4][x % 2] : 1 << (y % 2);
    dots_[cell(x / across_, y / down_)] |= bit;
  }
  void mark(int x, int y, const std::string& mark) {
    marks_[cell(std::clamp(x / across_, 0, columns_ - 1), std::clamp(y / down_, 0, rows_ - 1))] =
        mark;
  }
  /// Only where nothing else is.
  void level(int y, const std::string& mark) {
    for (int c = 0; c < columns_; ++c) {
      const std::size_t at = cell(c, std::clamp(y / down_, 0, rows_ - 1));
      if (dots_[at] == 0 && marks_[at].empty()) marks_[at] = mark;
    }
  }
  std::string row(int r) const {
    std::string text;
    for (int c = 0; c < columns_; ++c) {
      const std::size_t at = cell(c, r);
      text += marks_[at].empty() ? dots_text(dots_[at]) : marks_[at];
    }
    return text.erase(text.find_last_not_of(' ') + 1);
  }

 private:
  std::size_t cell(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(column);
  }
  std::string dots_text(int dots) const {
    if (dots == 0) return " ";
    if (across_ == 1) return std::string(1, " '.:"[dots]);
    return {'\xE2', static_cast<char>(0xA0 | (dots >> 6)), static_cast<char>(0x80 | (dots & 0x3F))};
  }

  int columns_, rows_, across_, down_;
  std::vector<int> dots_;
  std::vector<std::string> marks_;
};

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

void draw_line(Canvas& canvas, const Axes& axes, const std::vector<Point>& points) {
  if (points.empty()) return;
  const int first = axes.column(points.front().x), last = axes.column(points.back().x);
  int previous = axes.row(points.front().y);
  for (int column = first; column <= last; ++column) {
    const double x = std::clamp(axes.x_at(column), points.front().x, points.back().x);
    const int row = axes.row(interpolated(points, x));
    const int from = row > previous ? previous + 1 : row, to = row < previous ? previous - 1 : row;
    for (int y = std::min(from, row); y <= std::max(to, row); ++y) canvas.dot(column, y);
    previous = row;
  }
}

/// Labels below the horizontal axis, each under its column where there is room.
std::string step_labels(const Axes& axes, const Range& steps, int columns, int dots_per_column) {
  std::string line(static_cast<std::size_t>(columns), ' ');
  std::size_t free_from = 0;
  for (const double step : ticks(steps.low, steps.high, std::max(2, columns / 12))) {
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

std::string Plot::text(const Terminal& terminal) const {
  Range steps, values;
  for (const auto* curves : {&lines, &points}) {
    for (const Curve& curve : *curves) {
      for (const Point& point : finite_points(curve.series)) {
        steps.include(point.x);
        values.include(point.y);
      }
    }
  }
  if (steps.empty()) return "";
  if (level && !level->series.values.empty() && std::isfinite(level->series.values[0])) {
    values.include(level->series.values[0]);
  }
  if (steps.low == steps.high) steps.include(steps.low + 1);
  if (values.low == values.high) {
    const double margin = std::max(0.5, std::abs(values.low) * 0.05);
    values.include(values.low - margin);
    values.include(values.high + margin);
  }

  const std::vector<double> levels = ticks(values.low, values.high, std::clamp(rows / 2, 2, 6));
  const double gap = levels.size() > 1 ? levels[1] - levels[0] : 1;
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(gap) - 1e-9)), 0, 6);
  std::vector<std::string> labels;
  int margin = 0;
  for (const double value : levels) {
    const bool plain = std::abs(value) < 1e6;
    labels.push_back(plain ? fmt::format("{:.{}f}", value, decimals)
                           : fmt::format("{:.2g}", value));
    margin = std::max(margin, static_cast<int>(labels.back().size()));
  }

  const bool unicode = terminal.unicode;
  const int columns = std::max(10, std::min(terminal.width, 100) - margin - 3);
  Canvas canvas(columns, rows, unicode);
  const Axes axes(steps, values, canvas);
  for (const Curve& curve : lines) draw_line(canvas, axes, finite_points(curve.series));
  const std::string dot = unicode ? "●" : "o";
  for (const Curve& curve : points) {
    for (const Point& point : finite_points(curve.series)) {
      canvas.mark(axes.column(point.x), axes.row(point.y), styled(terminal, Style::cyan, dot));
    }
  }
  const std::string dash = unicode ? "┄" : "-";
  if (level) {
    canvas.level(axes.row(level->series.values[0]), styled(terminal, Style::yellow, dash));
  }

  std::string out;
  const int down = canvas.dot_rows() / rows;
  for (int r = 0; r < rows; ++r) {
    std::string label;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (axes.row(levels[i]) / down == r) label = labels[i];
    }
    const char* edge = unicode ? (label.empty() ? "│" : "┤") : (label.empty() ? "|" : "+");
    std::string line = fmt::format("{:>{}} {}{}", label, margin, edge, canvas.row(r));
    out += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  }
  std::string base = std::string(static_cast<std::size_t>(margin) + 1, ' ') + (unicode ? "└" : "+");
  for (int c = 0; c < columns; ++c) base += unicode ? "─" : "-";
  out += base + "\n" + std::string(static_cast<std::size_t>(margin) + 2, ' ') +
         step_labels(axes, steps, columns, canvas.dot_columns() / columns) + "\n";

  std::vector<std::string> legend;
  for (const Curve& curve : lines) legend.push_back((unicode ? "⠤⠤ " : ".. ") + curve.name);
  for (const Curve& curve : points) {
    legend.push_back(styled(terminal, Style::cyan, dot) + " " + curve.name);
  }
  if (level) legend.push_back(styled(terminal, Style::yellow, dash + dash) + " " + level->name);
  out += std::string(static_cast<std::size_t>(margin) + 2, ' ') +
         fmt::format("{}", fmt::join(legend, "   ")) + "\n";
  return out;
}

}  // namespace assay
