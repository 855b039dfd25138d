#include "results/journal.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"
#include "io/crc32c.h"

namespace assay {
namespace {

constexpr std::string_view kMagic =
    "\xa5"
    "ajr";
constexpr std::size_t kHead = 4 + 4 + 4 + 8;
constexpr std::uint32_t kLongest = 1U << 30;
enum Type : std::uint32_t { kBegin = 1, kRows = 2 };

template <class Number>
void append(std::string& to, Number number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
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
  bool take(std::string_view& text, std::size_t size) {
    if (rest_.size() < size) return false;
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

 private:
  std::string_view rest_;
};

struct Record {
  std::uint32_t type = 0;
  std::uint64_t sequence = 0;
  std::string_view payload;
  std::size_t size = 0;  // with head and checksum
};

std::optional<Record> record_at(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return std::nullopt;
  Cursor cursor(bytes.substr(kMagic.size()));
  Record record;
  std::uint32_t length = 0, sum = 0;
  if (!cursor.take(length) || length > kLongest || !cursor.take(record.type) ||
      !cursor.take(record.sequence) || !cursor.take(record.payload, length) || !cursor.take(sum) ||
      crc32c(bytes.substr(0, kHead + length)) != sum)
    return std::nullopt;
  record.size = kHead + length + sizeof sum;
  return record;
}

bool any_record(std::string_view bytes) {
  for (std::size_t at = bytes.find(kMagic); at != std::string_view::npos;
       at = bytes.find(kMagic, at + 1))
    if (record_at(bytes.substr(at))) return true;
  return false;
}

bool take_rows(std::string_view payload, JournalContent& content) {
  Cursor cursor(payload);
  if (!cursor.take(content.steps) || !cursor.take(content.seconds)) return false;
  while (!cursor.empty()) {
    std::uint32_t length = 0;
    std::string_view name;
    std::int64_t step = 0;
    double value = 0;
    if (!cursor.take(length) || !cursor.take(name, length) || !cursor.take(step) ||
        !cursor.take(value))
      return false;
    Series& series = content.metrics[std::string(name)];
    series.steps.push_back(step);
    series.values.push_back(value);
  }
  return true;
}

}  // namespace

Journal::Journal(const std::filesystem::path& file, const std::string& id)
    : file_(file, 0), id_(id) {
  write(kBegin, id_);
}

void Journal::row(std::string_view metric, std::int64_t step, double value) {
  append(rows_, static_cast<std::uint32_t>(metric.size()));
  rows_ += metric;
  append(rows_, step);
  append(rows_, value);
}

void Journal::flush(std::int64_t steps, double seconds) {
  if (rows_.empty()) return;
  std::string payload;
  payload.reserve(rows_.size() + 16);
  append(payload, steps);
  append(payload, seconds);
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
  std::string record(kMagic);
  record.reserve(kHead + payload.size() + 4);
  append(record, static_cast<std::uint32_t>(payload.size()));
  append(record, type);
  append(record, sequence_++);
  record += payload;
  append(record, crc32c(record));
  file_.append(record);
}

JournalContent parse_journal(const std::string& file, std::string_view bytes, Damage damage) {
  JournalContent content;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto record = record_at(bytes.substr(at));
    const bool good = record && record->sequence == content.records &&
                      (record->type == kBegin) == (content.records == 0) &&
                      (record->type == kBegin || take_rows(record->payload, content));
    if (!good) break;
    if (record->type == kBegin) content.id = record->payload;
    ++content.records;
    at += record->size;
  }
  content.torn = bytes.size() - at;
  if (content.torn > 0 && any_record(bytes.substr(at)))
    content.damage =
        fmt::format("{}: is damaged at byte {}, with good records behind it", file, at);
  if (damage == Damage::refuse && !content.damage.empty())
    throw Error(ExitCode::data, content.damage + "; `assay run --force` starts the run anew");
  return content;
}

}  // namespace assay
