// What journals are made of, each written with one write():
//
//   magic (4) | bytes of payload (4) | type (4) | sequence (8) | payload | CRC-32C of all before
//   (4)
//
// Little-endian. A record that was torn by a kill ends a journal; a bad one with good ones behind
// it is damage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// REQUIRES a payload of at most 1 GiB.
std::string journal_record(std::uint32_t type, std::uint64_t sequence, std::string_view payload);

struct JournalRecord {
  std::uint32_t type = 0;
  std::uint64_t sequence = 0;
  std::string_view payload;
  std::size_t size = 0;  // with head and checksum
};
/// The record that the bytes start with; none if they start with no whole, unchanged one.
std::optional<JournalRecord> journal_record_at(std::string_view bytes);
/// The place of the first whole record at `from` or behind it; npos if there is none.
std::size_t find_journal_record(std::string_view bytes, std::size_t from);
inline bool any_journal_record(std::string_view bytes) {
  return find_journal_record(bytes, 0) != std::string_view::npos;
}

}  // namespace assay
