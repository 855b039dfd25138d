// Shows runs under way on standard error: a bar drawn in place on a terminal, lines elsewhere.
//
//   auto result = reported([&](Reporter& reporter) { return run_experiment(request, reporter); });
//
// Threads: any. A call costs a lock and a look at the clock; text is made at most ten times a
// second.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/stop.h"
#include "cli/progress_text.h"
#include "cli/terminal.h"
#include "experiment/reporter.h"

namespace assay {

/// Where progress is shown, and the time; tests bring their own.
struct Screen {
  std::function<Terminal()> terminal;
  std::function<void(std::string_view)> write;
  std::function<double()> now;  // seconds, monotonic

  static Screen standard_error();
};

class ProgressReporter final : public Reporter {
 public:
  explicit ProgressReporter(Screen screen);

  void planned(std::int64_t runs, std::int64_t steps) override;
  void note(const std::string& run, const std::string& text) override;
  void started(const std::string& run, std::int64_t steps) override;
  void progress(const std::string& run, const Progress& progress) override;
  void finished(const std::string& run, const RunRecord& record, const std::string& file,
                bool skipped) override;
  void paused(const std::string& run) override;
  /// Takes the bar off the screen, so that other messages start on a line of their own.
  void close();

 private:
  void line(std::string_view text);
  void show_bar(const std::string& text);
  void show_one(const Progress& progress);
  void show_overall();
  OverallProgress overall() const;
  bool several() const { return runs_ != 1; }

  std::mutex mutex_;
  Screen screen_;
  std::int64_t runs_ = 1, steps_ = 0;  // planned
  std::int64_t finished_runs_ = 0, finished_steps_ = 0;
  double began_ = 0;
  double shown_ = -1e9;  // when something was last drawn
  bool bar_on_screen_ = false;
  std::optional<double> best_;        // validation loss of a run that is done
  std::optional<double> validation_;  // the last one written as a line
  std::map<std::string, Progress> active_, paused_;
};

/// For programs (progress_json.h), on standard error.
std::unique_ptr<Reporter> json_reporter();

/// What run(reporter) returns, with its progress on standard error; a signal stops it after the
/// current step.
template <class Run>
auto reported(Run run, bool as_json = false) {
  catch_stop_signals();
  if (as_json) return run(*json_reporter());
  ProgressReporter reporter(Screen::standard_error());
  try {
    auto result = run(reporter);
    reporter.close();
    return result;
  } catch (...) {
    reporter.close();
    throw;
  }
}

}  // namespace assay
