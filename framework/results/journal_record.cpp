#include "results/journal_record.h"

#include <cstring>

#include "io/crc32c.h"

namespace assay {
namespace {

constexpr std::string_view kMagic =
    "\xa5"
    "ajr";
constexpr std::size_t kHead = 4 + 4 + 4 + 8, kSum = 4;
constexpr std::uint32_t kLongest = 1U << 30;

template <class Number>
void append(std::string& to, Number number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

}  // namespace

std::string journal_record(std::uint32_t type, std::uint64_t sequence, std::string_view payload) {
  std::string record(kMagic);
  record.reserve(kHead + payload.size() + kSum);
  append(record, static_cast<std::uint32_t>(payload.size()));
  append(record, type);
  append(record, sequence);
  record += payload;
  append(record, crc32c(record));
  return record;
}

std::optional<JournalRecord> journal_record_at(std::string_view bytes) {
  if (bytes.size() < kHead + kSum || !bytes.starts_with(kMagic)) return std::nullopt;
  const auto length = number_at<std::uint32_t>(bytes, 4);
  if (length > kLongest || length > bytes.size() - kHead - kSum ||
      crc32c(bytes.substr(0, kHead + length)) != number_at<std::uint32_t>(bytes, kHead + length))
    return std::nullopt;
  return JournalRecord{number_at<std::uint32_t>(bytes, 8), number_at<std::uint64_t>(bytes, 12),
                       bytes.substr(kHead, length), kHead + length + kSum};
}

std::size_t find_journal_record(std::string_view bytes, std::size_t from) {
  for (std::size_t at = bytes.find(kMagic, from); at != std::string_view::npos;
       at = bytes.find(kMagic, at + 1))
    if (journal_record_at(bytes.substr(at))) return at;
  return std::string_view::npos;
}

}  // namespace assay
