#include "base/unicode.h"

#include <algorithm>
#include <iterator>

#include "base/unicode_tables.h"

namespace assay {
namespace {

template <std::size_t kCount>
bool within(const CharacterRange (&ranges)[kCount], char32_t character) {
  const auto after =
      std::upper_bound(std::begin(ranges), std::end(ranges), character,
                       [](char32_t c, const CharacterRange& range) { return c < range.first; });
  return after != std::begin(ranges) && character <= std::prev(after)->last;
}

constexpr bool between(char32_t low, char32_t character, char32_t high) {
  return low <= character && character <= high;
}

}  // namespace

bool is_letter(char32_t character) {
  if (character < 0x80) return between('a', character | 0x20, 'z');
  return within(kLetters, character);
}

bool is_number(char32_t character) {
  if (character < 0x80) return between('0', character, '9');
  return within(kNumbers, character);
}

int columns_of(char32_t character) {
  if (character < 0x300) return 1;
  if (within(kNoColumn, character)) return 0;
  return within(kTwoColumns, character) ? 2 : 1;
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || between('\t', c, '\r');
  return c == 0x85 || c == 0xA0 || c == 0x1680 || between(0x2000, c, 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

}  // namespace assay
