#include "results/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "results/journal_record.h"
#include "results/live_files.h"
#include "results/raw_number.h"
#include "results/trailer.h"

namespace assay {
namespace {

enum JournalType : std::uint32_t { kBegin = 1, kRows = 2, kSamples = 3 };

void append_text(std::string& to, std::string_view text) {
  append_raw(to, static_cast<std::uint32_t>(text.size()));
  to += text;
}

/// Takes numbers and texts off the front of a payload.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  template <class Number>
  bool take(Number& number) {
    if (rest_.size() < sizeof number) return false;
    std::memcpy(&number, rest_.data(), sizeof number);
    rest_.remove_prefix(sizeof number);
    return true;
  }
  /// With its size before it.
  template <class Text>
  bool take_text(Text& text) {
    std::uint32_t size = 0;
    if (!take(size) || rest_.size() < size) return false;
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

 private:
  std::string_view rest_;
};

bool take_rows(std::string_view payload, JournalContent& content) {
  Cursor cursor(payload);
  if (!cursor.take(content.steps) || !cursor.take(content.seconds)) return false;
  while (!cursor.empty()) {
    std::string_view name;
    std::int64_t step = 0;
    double value = 0;
    if (!cursor.take_text(name) || !cursor.take(step) || !cursor.take(value)) return false;
    Series& series = content.metrics[std::string(name)];
    series.steps.push_back(step);
    series.values.push_back(value);
  }
  return true;
}

bool take_samples(std::string_view payload, JournalContent& content) {
  Cursor cursor(payload);
  std::int64_t step = 0;
  if (!cursor.take(step)) return false;
  while (!cursor.empty()) {
    std::uint8_t answers = 0;
    TextSample sample;
    sample.step = step;
    if (!cursor.take_text(sample.prompt) || !cursor.take_text(sample.text) ||
        !cursor.take_text(sample.sampler) || !cursor.take(answers))
      return false;
    sample.answers = answers != 0;
    content.samples.push_back(std::move(sample));
  }
  return true;
}

bool take_payload(const JournalRecord& record, JournalContent& content) {
  switch (record.type) {
    case kBegin:
      content.id = record.payload;
      return content.records == 0;
    case kSamples:
      return content.records > 0 && take_samples(record.payload, content);
    default:
      return content.records > 0 && take_rows(record.payload, content);
  }
}

}  // namespace

Journal::Journal(const std::filesystem::path& file, const std::string& id)
    : file_(file, 0), id_(id) {
  write(kBegin, id_);
}

void Journal::row(std::string_view metric, std::int64_t step, double value) {
  append_text(rows_, metric);
  append_raw(rows_, step);
  append_raw(rows_, value);
}

void Journal::samples(std::span<const TextSample> samples) {
  if (samples.empty()) return;
  std::string payload;
  append_raw(payload, samples.front().step);
  for (const TextSample& sample : samples) {
    for (const std::string* text : {&sample.prompt, &sample.text, &sample.sampler})
      append_text(payload, *text);
    append_raw(payload, static_cast<std::uint8_t>(sample.answers));
  }
  write(kSamples, payload);
}

void Journal::flush(std::int64_t steps, double seconds) {
  if (rows_.empty()) return;
  std::string payload;
  payload.reserve(rows_.size() + 16);
  append_raw(payload, steps);
  append_raw(payload, seconds);
  payload += rows_;
  rows_.clear();
  write(kRows, payload);
}

void Journal::restart() {
  file_.clear();
  sequence_ = 0;
  rows_.clear();
  write(kBegin, id_);
}

void Journal::write(std::uint32_t type, std::string_view payload) {
  file_.append(journal_record(type, sequence_++, payload));
}

JournalContent parse_journal(const std::string& file, std::string_view bytes, Damage damage) {
  JournalContent content;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto record = journal_record_at(bytes.substr(at));
    if (!record || record->sequence != content.records || !take_payload(*record, content)) break;
    ++content.records;
    at += record->size;
  }
  content.torn = bytes.size() - at;
  if (content.torn > 0 && any_journal_record(bytes.substr(at)))
    content.damage =
        fmt::format("{}: is damaged at byte {}, with good records behind it", file, at);
  if (damage == Damage::refuse && !content.damage.empty())
    throw Error(ExitCode::data, fmt::format("{}; {}; `assay run --force` starts the run anew",
                                            content.damage, saved_by_recover(result_of(file))));
  return content;
}

std::size_t add_rows(RunRecord& record, const JournalContent& journal) {
  std::size_t added = 0;
  for (const auto& [metric, rows] : journal.metrics) {
    Series& series = record.metrics[metric];
    for (std::size_t i = 0; i < rows.steps.size(); ++i) {
      // A kill between a new snapshot and the new journal leaves rows that are in both.
      if (!series.steps.empty() && rows.steps[i] <= series.steps.back()) continue;
      series.steps.push_back(rows.steps[i]);
      series.values.push_back(rows.values[i]);
      ++added;
    }
  }
  const std::int64_t known = record.samples.empty() ? -1 : record.samples.back().step;
  for (const TextSample& sample : journal.samples)
    if (sample.step > known) record.samples.push_back(sample);
  record.steps = std::max(record.steps, journal.steps);
  record.seconds = std::max(record.seconds, journal.seconds);
  return added;
}

}  // namespace assay
