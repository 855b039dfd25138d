#include "cli/progress_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "cli/comparison.h"
#include "cli/numbers.h"

namespace assay {
namespace {

constexpr int kWidestBar = 40, kNarrowestBar = 8;

double fraction_of(std::int64_t done, std::int64_t all) {
  if (all <= 0) return 0;
  return std::clamp(static_cast<double>(done) / static_cast<double>(all), 0.0, 1.0);
}

/// Percentage, bar and figures; figures are dropped from the back, then the bar, until it fits.
std::string fitted(double fraction, std::vector<std::string> figures, const Terminal& terminal) {
  const int width = terminal.width - 1;
  const std::string percent = fmt::format("{:3.0f}%", std::floor(fraction * 100));
  std::string tail;
  for (;;) {
    tail = fmt::format("{}", fmt::join(figures, "  "));
    const int room = width - display_width(percent) - display_width(tail) - 3;
    if (room >= kNarrowestBar) {
      const std::string bar = bar_text(fraction, std::min(room, kWidestBar), terminal.unicode);
      return percent + " " + styled(terminal, Style::cyan, bar) + "  " + tail;
    }
    if (figures.size() <= 1) return clipped(percent + "  " + tail, width, terminal.unicode);
    figures.pop_back();
  }
}

}  // namespace

std::string bar_text(double fraction, int width, bool unicode) {
  const int halves = static_cast<int>(std::floor(fraction * 2 * width + 1e-9));
  std::string bar;
  for (int i = 0; i < width; ++i) {
    if (2 * i + 2 <= halves) {
      bar += unicode ? "━" : "#";
    } else if (2 * i + 1 == halves && unicode) {
      bar += "╸";
    } else {
      bar += unicode ? "─" : ".";
    }
  }
  return bar;
}

std::string bar_line(const Progress& progress, const Terminal& terminal) {
  std::vector<std::string> figures = {fmt::format("{}/{}", progress.step, progress.steps),
                                      clock_text(progress.seconds_left) + " left",
                                      fmt::format("loss {:.3f}", progress.loss)};
  if (progress.validation) figures.push_back(fmt::format("val {:.3f}", *progress.validation));
  figures.push_back(rate_text(progress.tokens_per_second) + " tokens/s");
  return fitted(fraction_of(progress.step, progress.steps), std::move(figures), terminal);
}

std::string overall_bar_line(const OverallProgress& overall, const Terminal& terminal) {
  std::vector<std::string> figures = {
      overall.runs > 0 ? fmt::format("{}/{} runs", overall.finished, overall.runs)
                       : fmt::format("{} runs", overall.finished),
      clock_text(overall.seconds_left) + " left", fmt::format("{} running", overall.active)};
  if (overall.best) figures.push_back(fmt::format("best val {:.4f}", *overall.best));
  figures.push_back(rate_text(overall.tokens_per_second) + " tokens/s");
  const double fraction = overall.steps > 0 ? fraction_of(overall.step, overall.steps)
                                            : fraction_of(overall.finished, overall.runs);
  return fitted(fraction, std::move(figures), terminal);
}

std::string log_line(const Progress& progress) {
  std::string line =
      fmt::format("step {}/{}  loss {:.4f}", progress.step, progress.steps, progress.loss);
  if (progress.validation) line += fmt::format("  val {:.4f}", *progress.validation);
  return line + fmt::format("  {} tokens/s  {} left", rate_text(progress.tokens_per_second),
                            clock_text(progress.seconds_left));
}

std::string overall_log_line(const OverallProgress& overall) {
  std::string line = overall.runs > 0
                         ? fmt::format("{} of {} runs finished", overall.finished, overall.runs)
                         : fmt::format("{} runs finished", overall.finished);
  line += fmt::format(", {} running", overall.active);
  if (overall.best) line += fmt::format("  best val {:.4f}", *overall.best);
  if (overall.steps > 0) line += fmt::format("  step {}/{}", overall.step, overall.steps);
  return line + fmt::format("  {} tokens/s  {} left", rate_text(overall.tokens_per_second),
                            clock_text(overall.seconds_left));
}

std::string finished_line(const std::string& run, const RunRecord& record, const std::string& file,
                          bool skipped, const Terminal& terminal) {
  std::string line = run + ": ";
  if (skipped && record.status == RunStatus::failed) {
    line += styled(terminal, Style::red, "failed before") + ", left so";
  } else if (skipped) {
    line += fmt::format("already {} ({} steps)",
                        record.status == RunStatus::pruned ? "pruned" : "complete", record.steps);
  } else {
    line += styled(terminal, status_style(record.status), name(record.status));
    line += fmt::format(", {} steps in {}", record.steps, human_duration(record.seconds));
  }
  if (const Series* losses = find_metric(record, kValidationLoss)) {
    line += fmt::format(", {} {}", kValidationLoss, metric_text(losses->values.back()));
  }
  if (!record.message.empty()) line += ": " + printable(record.message);
  const std::string where = " -> " + file;
  const bool fits = display_width(line) + display_width(where) <= terminal.width;
  return !terminal.window || fits ? line + where : line;
}

}  // namespace assay
