#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "cli/comparison.h"

namespace assay {
namespace {

constexpr double kRedraw = 0.1;  // seconds between two drawings of the bar
constexpr double kLogLine = 5;   // seconds between two lines of a log

bool same(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return !a && !b;
  return *a == *b || (*a != *a && *b != *b);
}

}  // namespace

Screen Screen::standard_error() {
  return {[] { return Terminal::of(stderr); }, write_err,
          [] {
            const auto time = std::chrono::steady_clock::now().time_since_epoch();
            return std::chrono::duration<double>(time).count();
          }};
}

ProgressReporter::ProgressReporter(Screen screen) : screen_(std::move(screen)) {
  began_ = screen_.now();
}

void ProgressReporter::planned(std::int64_t runs, std::int64_t steps) {
  const std::lock_guard lock(mutex_);
  runs_ = runs;
  steps_ = steps;
  best_.reset();
  finished_runs_ = finished_steps_ = 0;  // of an experiment before this one
  began_ = shown_ = screen_.now();
  if (runs > 1) line(fmt::format("{} runs, {} steps in all", runs, steps));
}

void ProgressReporter::note(const std::string& run, const std::string& text) {
  const std::lock_guard lock(mutex_);
  line(fmt::format("{}: {}: {}", run, styled(screen_.terminal(), Style::yellow, "note"),
                   printable(text)));
}

void ProgressReporter::started(const std::string& run, std::int64_t steps) {
  const std::lock_guard lock(mutex_);
  const auto before = paused_.find(run);
  active_[run] = before == paused_.end() ? Progress() : before->second;
  active_[run].steps = steps;
  paused_.erase(run);
  validation_.reset();
  if (several()) {
    if (screen_.terminal().interactive) show_overall();
    return;
  }
  line(fmt::format("{}: {} steps", run, steps));
  shown_ = screen_.now();
}

void ProgressReporter::progress(const std::string& run, const Progress& progress) {
  const std::lock_guard lock(mutex_);
  active_[run] = progress;
  const bool evaluated = !several() && !same(progress.validation, validation_);
  const Terminal terminal = screen_.terminal();
  const double since = screen_.now() - shown_;
  if (since < (terminal.interactive ? kRedraw : kLogLine) && !evaluated) return;
  if (several()) {
    show_overall();
  } else {
    validation_ = progress.validation;
    show_one(progress);
  }
}

void ProgressReporter::paused(const std::string& run) {
  const std::lock_guard lock(mutex_);
  const auto active = active_.find(run);
  if (active == active_.end()) return;
  paused_[run] = active->second;
  active_.erase(active);
}

void ProgressReporter::finished(const std::string& run, const RunRecord& record,
                                const std::string& file, bool skipped) {
  const std::lock_guard lock(mutex_);
  if (!skipped) {
    ++finished_runs_;
    finished_steps_ += record.steps;
    active_.erase(run);
    paused_.erase(run);
  }
  const Series* losses = find_metric(record, kValidationLoss);
  if (losses && record.status == RunStatus::done && std::isfinite(losses->values.back()))
    best_ = std::min(best_.value_or(losses->values.back()), losses->values.back());
  line(finished_line(run, record, file, skipped, screen_.terminal()));
  if (several() && !active_.empty() && screen_.terminal().interactive) show_overall();
}

void ProgressReporter::close() {
  const std::lock_guard lock(mutex_);
  if (bar_on_screen_) screen_.write("\r\033[K");
  bar_on_screen_ = false;
}

void ProgressReporter::line(std::string_view text) {
  std::string out = bar_on_screen_ ? "\r\033[K" : "";
  bar_on_screen_ = false;
  out += text;
  screen_.write(out + "\n");
}

void ProgressReporter::show_bar(const std::string& text) {
  screen_.write("\r" + text + "\033[K");
  bar_on_screen_ = true;
}

void ProgressReporter::show_one(const Progress& progress) {
  const Terminal terminal = screen_.terminal();
  if (terminal.interactive) {
    show_bar(bar_line(progress, terminal));
  } else {
    line(log_line(progress));
  }
  shown_ = screen_.now();
}

void ProgressReporter::show_overall() {
  const Terminal terminal = screen_.terminal();
  if (terminal.interactive) {
    show_bar(overall_bar_line(overall(), terminal));
  } else {
    line(overall_log_line(overall()));
  }
  shown_ = screen_.now();
}

OverallProgress ProgressReporter::overall() const {
  OverallProgress all;
  all.runs = runs_;
  all.finished = finished_runs_;
  all.active = static_cast<std::int64_t>(active_.size());
  all.step = finished_steps_;
  all.steps = steps_;
  all.best = best_;
  for (const auto& [run, progress] : paused_) all.step += progress.step;
  for (const auto& [run, progress] : active_) {
    all.step += progress.step;
    all.tokens_per_second += progress.tokens_per_second;
  }
  const double spent = screen_.now() - began_;
  if (all.step > 0 && all.steps >= all.step) {
    all.seconds_left =
        spent / static_cast<double>(all.step) * static_cast<double>(all.steps - all.step);
  }
  return all;
}

}  // namespace assay
