#include "cli/progress_json.h"

#include "cli/comparison.h"
#include "cli/json.h"

namespace assay {
namespace {

constexpr double kBetween = 0.5;  // seconds

}  // namespace

std::unique_ptr<Reporter> json_reporter() {
  return std::make_unique<JsonReporter>(Screen::standard_error());
}

void JsonReporter::planned(std::int64_t runs, std::int64_t steps) {
  const std::lock_guard lock(mutex_);
  write("planned", {{"runs", json_integer(runs)}, {"steps", json_integer(steps)}});
}

void JsonReporter::note(const std::string& run, const std::string& text) {
  const std::lock_guard lock(mutex_);
  write("note", {{"run", json_text(run)}, {"text", json_text(text)}});
}

void JsonReporter::started(const std::string& run, std::int64_t steps) {
  const std::lock_guard lock(mutex_);
  shown_[run] = screen_.now();
  write("started", {{"run", json_text(run)}, {"steps", json_integer(steps)}});
}

void JsonReporter::progress(const std::string& run, const Progress& progress) {
  const std::lock_guard lock(mutex_);
  const double now = screen_.now();
  if (now - shown_[run] < kBetween) return;
  shown_[run] = now;
  std::vector<Value::Entry> entries = {{"run", json_text(run)},
                                       {"step", json_integer(progress.step)},
                                       {"steps", json_integer(progress.steps)},
                                       {"loss", json_number(progress.loss)}};
  if (progress.validation) entries.emplace_back(kValidationLoss, json_number(*progress.validation));
  entries.emplace_back("tokens_per_second", json_number(progress.tokens_per_second));
  entries.emplace_back("seconds_left", json_number(progress.seconds_left));
  write("progress", std::move(entries));
}

void JsonReporter::paused(const std::string& run) {
  const std::lock_guard lock(mutex_);
  write("paused", {{"run", json_text(run)}});
}

void JsonReporter::finished(const std::string& run, const RunRecord& record,
                            const std::string& file, bool skipped) {
  const std::lock_guard lock(mutex_);
  shown_.erase(run);
  std::vector<Value::Entry> entries = {{"run", json_text(run)},
                                       {"status", json_text(name(record.status))},
                                       {"skipped", json_truth(skipped)},
                                       {"steps", json_integer(record.steps)},
                                       {"seconds", json_number(record.seconds)},
                                       {"file", json_text(file)}};
  if (const Series* losses = find_metric(record, kValidationLoss))
    entries.emplace_back(kValidationLoss, json_number(losses->values.back()));
  if (!record.message.empty()) entries.emplace_back("message", json_text(record.message));
  write("finished", std::move(entries));
}

void JsonReporter::write(const char* event, std::vector<Value::Entry> entries) {
  entries.insert(entries.begin(), {"event", json_text(event)});
  screen_.write(write_json_line(Value::map(std::move(entries), {})));
}

}  // namespace assay
