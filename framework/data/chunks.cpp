#include "data/chunks.h"

#include <array>
#include <cstdint>

#include "base/unicode.h"
#include "base/utf8.h"

namespace assay {
namespace {

enum class Kind : std::uint8_t { space, letter, number, other };

constexpr std::size_t kAscii = 128;
constexpr auto kAsciiKinds = [] {
  std::array<Kind, kAscii> kinds{};
  for (std::size_t c = 0; c < kAscii; ++c) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    const bool number = c >= '0' && c <= '9';
    kinds[c] = space ? Kind::space : letter ? Kind::letter : number ? Kind::number : Kind::other;
  }
  return kinds;
}();

struct Character {
  Kind kind;
  std::size_t bytes;
};

// REQUIRES at < text.size().
Character character(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < kAscii) return {kAsciiKinds[byte], 1};
  constexpr std::size_t kLongest = 4;
  const std::size_t bytes = utf8_length(text.substr(at, kLongest));
  if (bytes == 0) return {Kind::other, 1};
  std::size_t end = at;
  const char32_t code = utf8_next(text.substr(0, at + bytes), end);
  const Kind kind = is_letter(code)   ? Kind::letter
                    : is_number(code) ? Kind::number
                    : is_space(code)  ? Kind::space
                                      : Kind::other;
  return {kind, bytes};
}

// Behind the characters of this kind that stand from `at` on.
std::size_t skip(std::string_view text, std::size_t at, Kind kind) {
  while (at < text.size()) {
    const Character next = character(text, at);
    if (next.kind != kind) break;
    at += next.bytes;
  }
  return at;
}

std::size_t skip_newlines(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '\n' || text[at] == '\r')) ++at;
  return at;
}

std::size_t words_chunk(std::string_view text) {
  const Character first = character(text, 0);
  std::size_t at = first.bytes;
  while (at < text.size()) {
    const Character next = character(text, at);
    if (next.kind == Kind::space) break;
    at += next.bytes;
  }
  return at;
}

// 's, 't, 'm, 'd, 're, 've, 'll: length, or 0.
std::size_t contraction(std::string_view text, bool any_case) {
  const auto letter = [&](std::size_t at) {
    const char c = at < text.size() ? text[at] : '\0';
    return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  if (text[0] != '\'') return 0;
  const char a = letter(1), b = letter(2);
  if (a == 's' || a == 't' || a == 'm' || a == 'd') return 2;
  const bool two = (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l');
  return two ? 3 : 0;
}

// \s+(?!\S)|\s+: spaces up to the last one before something else, which belongs to what follows.
std::size_t spaces_chunk(std::string_view text) {
  std::size_t at = 0, last = 0;
  while (at < text.size()) {
    const Character next = character(text, at);
    if (next.kind != Kind::space) break;
    last = at;
    at += next.bytes;
  }
  return at == text.size() || last == 0 ? at : last;
}

std::size_t gpt2_chunk(std::string_view text) {
  if (const std::size_t length = contraction(text, false)) return length;
  const std::size_t start = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const Character first = character(text, start);
  if (first.kind != Kind::space) return skip(text, start + first.bytes, first.kind);
  return spaces_chunk(text);
}

// \p{N}{1,3}
std::size_t digits_chunk(std::string_view text) {
  std::size_t at = 0;
  for (int count = 0; count < 3 && at < text.size(); ++count) {
    const Character next = character(text, at);
    if (next.kind != Kind::number) break;
    at += next.bytes;
  }
  return at;
}

// \s*[\r\n]+: up to the last newline among the spaces; 0 if there is none.
std::size_t newline_chunk(std::string_view text) {
  const std::size_t spaces = skip(text, 0, Kind::space);
  const std::size_t last = text.substr(0, spaces).find_last_of("\r\n");
  return last == std::string_view::npos ? 0 : last + 1;
}

std::size_t gpt4_chunk(std::string_view text) {
  if (const std::size_t length = contraction(text, true)) return length;
  const Character first = character(text, 0);
  if (first.kind == Kind::letter) return skip(text, first.bytes, Kind::letter);
  if (first.kind == Kind::number) return digits_chunk(text);
  const bool newline = text[0] == '\r' || text[0] == '\n';
  const bool more = first.bytes < text.size();
  const Kind second = more ? character(text, first.bytes).kind : Kind::space;
  if (!newline && more && second == Kind::letter) return skip(text, first.bytes, Kind::letter);
  if (first.kind == Kind::other || (text[0] == ' ' && more && second == Kind::other))
    return skip_newlines(text, skip(text, text[0] == ' ' ? 1 : first.bytes, Kind::other));
  if (const std::size_t length = newline_chunk(text)) return length;
  return spaces_chunk(text);
}

}  // namespace

std::size_t next_chunk(Chunks rule, std::string_view text) {
  switch (rule) {
    case Chunks::none:
      break;
    case Chunks::words:
      return words_chunk(text);
    case Chunks::gpt2:
      return gpt2_chunk(text);
    case Chunks::gpt4:
      return gpt4_chunk(text);
  }
  return text.size();
}

}  // namespace assay
