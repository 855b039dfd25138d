#include "results/journal_record.h"

#include <cstring>

#include "io/crc32c.h"
#include "results/raw_number.h"

namespace assay {
namespace {

constexpr std::string_view kRecordMagic =
    "\xa5"
    "ajr";
constexpr std::size_t kHead = 4 + 4 + 4 + 8, kSum = 4;
constexpr std::uint32_t kLongest = 1U << 30;

}  // namespace

std::string journal_record(std::uint32_t type, std::uint64_t sequence, std::string_view payload) {
  std::string record(kRecordMagic);
  record.reserve(kHead + payload.size() + kSum);
  append_raw(record, static_cast<std::uint32_t>(payload.size()));
  append_raw(record, type);
  append_raw(record, sequence);
  record += payload;
  append_raw(record, crc32c(record));
  return record;
}

std::optional<JournalRecord> journal_record_at(std::string_view bytes) {
  if (bytes.size() < kHead + kSum || !bytes.starts_with(kRecordMagic)) return std::nullopt;
  const auto length = raw_number<std::uint32_t>(bytes, 4);
  if (length > kLongest || length > bytes.size() - kHead - kSum ||
      crc32c(bytes.substr(0, kHead + length)) != raw_number<std::uint32_t>(bytes, kHead + length))
    return std::nullopt;
  return JournalRecord{raw_number<std::uint32_t>(bytes, 8), raw_number<std::uint64_t>(bytes, 12),
                       bytes.substr(kHead, length), kHead + length + kSum};
}

std::size_t find_journal_record(std::string_view bytes, std::size_t from) {
  for (std::size_t at = bytes.find(kRecordMagic, from); at != std::string_view::npos;
       at = bytes.find(kRecordMagic, at + 1))
    if (journal_record_at(bytes.substr(at))) return at;
  return std::string_view::npos;
}

}  // namespace assay
