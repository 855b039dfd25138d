#include "cli/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "base/error.h"
#include "base/stop.h"
#include "base/text.h"
#include "cli/comparison.h"
#include "cli/numbers.h"
#include "cli/plot.h"
#include "config/scalar.h"

namespace assay {
namespace {

constexpr int kRows = 14;       // of a plot
constexpr int kFewestRows = 6;  // where several share a screen
constexpr int kAround = 5;      // lines above and below the rows of a plot
constexpr auto kLook = std::chrono::milliseconds(500);
constexpr auto kLine = std::chrono::seconds(5);  // between two plain lines about a run
constexpr std::array kColours = {Style::cyan,    Style::yellow, Style::green,
                                 Style::magenta, Style::red,    Style::blue};

double read_weight(const std::string& text) {
  double weight = 0;
  if (parse_real(text, weight) != NumberError::none || !(weight >= 0 && weight < 1))
    throw Error(ExitCode::usage,
                fmt::format("--smooth: wanted a number from 0 to below 1, got {}", quote(text)));
  return weight;
}

void check_metric(const std::string& metric, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), metric) != known.end()) return;
  std::string message = fmt::format("--curves: no run has a metric {}", quote(metric));
  if (const auto near = near_match(metric, known))
    message += fmt::format("; did you mean {}?", *near);
  else
    message += fmt::format("; there are {}", join(known));
  throw Error(ExitCode::usage, message);
}

std::string heading(const std::string& metric, const CurveOptions& options,
                    const Terminal& terminal) {
  std::string text = styled(terminal, Style::bold, printable(metric) + " by step") +
                     (options.logarithmic ? ", log scale\n" : "\n");
  if (options.smooth > 0)
    text += wrapped(fmt::format("smoothed: s = {0:g} s + {1:g} v, shown s / (1 - {0:g}^n)",
                                options.smooth, 1 - options.smooth),
                    terminal.width, 2) +
            "\n";
  return text;
}

/// "gpt 1.8912, running at step 120"; of several runs the mean, and no status.
std::string legend_of(const std::vector<DrawnRun>& runs, std::size_t group,
                      const std::string& metric) {
  double sum = 0;
  int count = 0;
  const DrawnRun* drawn = nullptr;
  for (const DrawnRun& run : runs)
    if (const Series* series = find_metric(run.run->record, metric); series && run.group == group) {
      drawn = &run;
      sum += series->values.back();
      ++count;
    }
  if (count > 1)
    return fmt::format("{}, mean {}", printable(drawn->name), metric_text(sum / count));
  const RunRecord& record = drawn->run->record;
  const std::string text = fmt::format("{} {}", printable(drawn->name), metric_text(sum));
  if (record.status == RunStatus::done) return text;
  return text + fmt::format(", {} at step {}", name(record.status), record.steps);
}

/// What a plot leaves out, by label: "not drawn, as it is not finite or not positive: 3 of A".
std::string left_out(const std::vector<DrawnRun>& runs, const std::string& metric,
                     bool logarithmic) {
  std::vector<std::string> values, without;
  for (const DrawnRun& drawn : runs) {
    const Series* series = find_metric(drawn.run->record, metric);
    if (!series) {
      if (std::find(without.begin(), without.end(), drawn.label) == without.end())
        without.push_back(drawn.label);
      continue;
    }
    const auto count = std::count_if(
        series->values.begin(), series->values.end(),
        [&](double value) { return !std::isfinite(value) || (logarithmic && value <= 0); });
    if (count > 0) values.push_back(fmt::format("{} of {}", count, drawn.label));
  }
  std::string text;
  if (!values.empty())
    text += fmt::format("not drawn, as not finite{}: {}\n", logarithmic ? " or not positive" : "",
                        fmt::join(values, ", "));
  if (!without.empty()) text += fmt::format("without it: {}\n", fmt::join(without, ", "));
  return text;
}

std::string plot_of(const std::vector<DrawnRun>& runs, const std::string& metric,
                    const CurveOptions& options, int rows, const Terminal& terminal) {
  Plot plot;
  plot.rows = rows;
  plot.logarithmic = options.logarithmic;
  std::vector<std::size_t> named;
  for (const DrawnRun& drawn : runs) {
    const Series* series = find_metric(drawn.run->record, metric);
    if (!series) continue;
    const bool again = std::find(named.begin(), named.end(), drawn.group) != named.end();
    named.push_back(drawn.group);
    plot.lines.push_back({again ? "" : legend_of(runs, drawn.group, metric),
                          exponential_mean(*series, options.smooth), drawn.label.substr(0, 1),
                          kColours[drawn.group % kColours.size()]});
  }
  const std::string drawn = plot.text(terminal);
  return heading(metric, options, terminal) + (drawn.empty() ? "nothing to draw\n" : drawn) +
         left_out(runs, metric, options.logarithmic);
}

bool any_running(const std::vector<DrawnRun>& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const DrawnRun& drawn) {
    return drawn.run->record.status == RunStatus::running;
  });
}

/// Sleeps, unless a signal asks to stop: false then.
bool paused() {
  constexpr auto kSlice = std::chrono::milliseconds(50);
  for (auto slept = kSlice * 0; slept < kLook && !stop_requested(); slept += kSlice)
    std::this_thread::sleep_for(kSlice);
  return !stop_requested();
}

/// A picture that is drawn over the one before it.
class Redrawn {
 public:
  void show(const std::string& text, const Terminal& terminal) {
    std::string out = lines_ > 0 ? fmt::format("\033[{}A", lines_) : "";
    lines_ = 0;
    for (std::size_t at = 0; at < text.size() && lines_ < terminal.height - 1; ++lines_) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      out += text.substr(at, end - at) + "\033[K\n";
      at = end + 1;
    }
    write_out(out + "\033[J");
  }

 private:
  int lines_ = 0;
};

/// What is said of runs where nothing can be drawn again.
class PlainLines {
 public:
  void show(const std::vector<DrawnRun>& runs, const CurveOptions& options) {
    const auto now = std::chrono::steady_clock::now();
    for (const DrawnRun& drawn : runs) {
      const RunRecord& record = drawn.run->record;
      Said& said = said_[drawn.run->file];
      const bool ended = record.status != RunStatus::running;
      const bool first = said.steps < 0;
      if (!first && (ended == said.ended) && (ended || now - said.at < kLine)) continue;
      if (!first && !ended && record.steps == said.steps) continue;
      said = {record.steps, ended, now};
      write_out(line_of(drawn, options) + "\n");
    }
  }

 private:
  struct Said {
    std::int64_t steps = -1;
    bool ended = false;
    std::chrono::steady_clock::time_point at;
  };

  static std::string line_of(const DrawnRun& drawn, const CurveOptions& options) {
    const RunRecord& record = drawn.run->record;
    std::string line = fmt::format("{} {} {}, step {}", drawn.label, printable(drawn.name),
                                   name(record.status), record.steps);
    for (const std::string& metric : options.metrics)
      if (const Series* series = find_metric(record, metric))
        line += fmt::format(", {} {} at {}", printable(metric), metric_text(series->values.back()),
                            series->steps.back());
    return line;
  }

  std::map<std::string, Said> said_;
};

}  // namespace

std::vector<OptionSpec> curve_options() {
  return {{"curves", 0, "METRICS", "Draw these metrics, of all runs over one another."},
          {"log", 0, "", "With --curves: values on a log scale."},
          {"smooth", 0, "W",
           "With --curves: smooth with weight W, 0 to below 1: s = W s + (1 - W) v, shown "
           "s / (1 - W^n)."},
          {"watch", 0, "", "With --curves: draw again while a run is running; Ctrl-C ends it."}};
}

bool wants_curves(const std::string& verb, const Arguments& arguments) {
  if (arguments.has("curves")) return true;
  for (const char* option : {"log", "smooth", "watch"})
    if (arguments.has(option))
      throw Error(ExitCode::usage,
                  fmt::format("{}: --{} is about curves: give --curves METRIC", verb, option));
  return false;
}

CurveOptions read_curve_options(const Arguments& arguments, const RunSet& set) {
  CurveOptions options;
  const std::vector<std::string> known = known_names(set.runs).metrics;
  for (std::string& metric : split_list(*arguments.value("curves"))) {
    check_metric(metric, known);
    options.metrics.push_back(std::move(metric));
  }
  if (options.metrics.empty())
    throw Error(ExitCode::usage, "--curves: wanted metrics, separated by commas, got none");
  options.logarithmic = arguments.has("log");
  if (const auto weight = arguments.value("smooth")) options.smooth = read_weight(*weight);
  options.watch = arguments.has("watch");
  return options;
}

std::string label_of(std::size_t index) {
  const std::string label(1, static_cast<char>('A' + index % 26));
  return index < 26 ? label : label_of(index / 26 - 1) + label;
}

std::string curves_text(const std::vector<DrawnRun>& runs, const CurveOptions& options,
                        const Terminal& terminal, int most_rows) {
  const int each = most_rows / static_cast<int>(options.metrics.size()) - kAround;
  const int rows = most_rows > 0 ? std::clamp(each, kFewestRows, kRows) : kRows;
  std::string text;
  for (const std::string& metric : options.metrics)
    text += (text.empty() ? "" : "\n") + plot_of(runs, metric, options, rows, terminal);
  return text;
}

void watch_curves(FunctionRef<WatchedRuns()> load, const CurveOptions& options) {
  catch_stop_signals();
  Redrawn picture;
  PlainLines lines;
  do {
    const WatchedRuns now = load();
    const Terminal terminal = Terminal::of(stdout);
    if (terminal.interactive)
      picture.show(curves_text(now.runs, options, terminal, terminal.height - 1), terminal);
    else
      lines.show(now.runs, options);
    if (!any_running(now.runs)) return;
  } while (paused());
}

}  // namespace assay
