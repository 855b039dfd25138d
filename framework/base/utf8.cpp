#include "base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace assay {
namespace {

constexpr std::uint8_t byte(char c) {
  return static_cast<std::uint8_t>(c);
}
constexpr bool continues(char c) {
  return (byte(c) & 0xC0u) == 0x80u;
}

// Eight bytes at once, for texts that are mostly ASCII.
bool ascii_word(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return (word & 0x8080808080808080u) == 0;
}

// How many of eight bytes do not continue a character.
std::size_t starts_in_word(const char* bytes) {
  constexpr std::uint64_t kEach = 0x0101010101010101u;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  const std::uint64_t continuing = (word >> 7) & ~(word >> 6) & kEach;
  return 8 - ((continuing * kEach) >> 56);
}

// What the start of text is: a character, or the beginning of one that the text is too short for
// (complete is false, and bytes may be all of text), or neither (bytes: those that belong
// together).
struct Start {
  std::size_t bytes;
  bool complete, cut;
};

// RFC 3629, section 4.
Start start_of(std::string_view text) {
  const std::uint8_t first = byte(text[0]);
  if (first < 0x80) return {1, true, false};
  const std::size_t length = first < 0xC2   ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0) return {1, false, false};
  if (text.size() == 1) return {1, false, true};
  const std::uint8_t second = byte(text[1]);
  const std::uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;  // else overlong
  const std::uint8_t high = first == 0xED   ? 0x9F
                            : first == 0xF4 ? 0x8F
                                            : 0xBF;  // else surrogate, too high
  if (second < low || second > high) return {1, false, false};
  for (std::size_t i = 2; i < length; ++i) {
    if (i == text.size()) return {i, false, true};
    if (!continues(text[i])) return {i, false, false};
  }
  return {length, true, false};
}

}  // namespace

std::size_t utf8_error(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (at + 8 <= text.size() && ascii_word(text.data() + at)) {
      at += 8;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::size_t utf8_length(std::string_view text) {
  const Start start = start_of(text);
  return start.complete ? start.bytes : 0;
}

char32_t utf8_next(std::string_view text, std::size_t& at) {
  const std::uint8_t first = byte(text[at++]);
  if (first < 0x80) return first;
  char32_t code_point = first < 0xE0 ? first & 0x1Fu : first < 0xF0 ? first & 0x0Fu : first & 0x07u;
  while (at < text.size() && continues(text[at]))
    code_point = code_point << 6 | (byte(text[at++]) & 0x3Fu);
  return code_point;
}

void utf8_append(std::string& to, char32_t code_point) {
  const auto put = [&to](char32_t bits) { to.push_back(static_cast<char>(bits)); };
  const auto tail = [&](int shift) { put(0x80u | (code_point >> shift & 0x3Fu)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0u | code_point >> 6), tail(0);
  } else if (code_point < 0x10000) {
    put(0xE0u | code_point >> 12), tail(6), tail(0);
  } else {
    put(0xF0u | code_point >> 18), tail(12), tail(6), tail(0);
  }
}

std::size_t utf8_count(std::string_view text) {
  std::size_t count = 0, at = 0;
  for (; at + 8 <= text.size(); at += 8) count += starts_in_word(text.data() + at);
  for (; at < text.size(); ++at) count += continues(text[at]) ? 0 : 1;
  return count;
}

std::size_t utf8_bytes(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    const std::size_t starts = starts_in_word(text.data() + at);
    if (starts > count) break;
    count -= starts;
  }
  for (; at < text.size(); ++at)
    if (!continues(text[at]) && count-- == 0) break;
  return at;
}

std::string Utf8Decoder::add(std::string_view bytes) {
  std::string joined;
  if (!pending_.empty()) {
    joined = std::exchange(pending_, {}) + std::string(bytes);
    bytes = joined;
  }
  std::string shown;
  while (!bytes.empty()) {
    const std::size_t good = std::min(utf8_error(bytes), bytes.size());
    shown += bytes.substr(0, good);
    bytes.remove_prefix(good);
    if (bytes.empty()) break;
    const Start start = start_of(bytes);
    if (start.cut) {
      pending_ = bytes;
      break;
    }
    shown += kReplacementText;
    bytes.remove_prefix(start.bytes);
  }
  return shown;
}

std::string Utf8Decoder::finish() {
  return std::exchange(pending_, {}).empty() ? std::string() : std::string(kReplacementText);
}

std::string utf8_repaired(std::string_view text) {
  Utf8Decoder decoder;
  const std::string shown = decoder.add(text);
  return shown + decoder.finish();
}

}  // namespace assay
