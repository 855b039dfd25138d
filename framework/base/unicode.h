// What kind of character a code point is, by the Unicode Character Database.
//
//   if (is_letter(utf8_next(text, at))) ...
//
// The tables (unicode_tables.h) are those of Unicode 14.0. All functions are pure.
#pragma once

#include "base/api.h"

namespace assay {

/// General category L*: letters of all scripts.
ASSAY_API bool is_letter(char32_t character);
/// General category N*: digits, and other signs for numbers (Roman numerals, fractions).
ASSAY_API bool is_number(char32_t character);
/// Property White_Space: what regular expressions call \s.
ASSAY_API bool is_space(char32_t character);
/// Columns of a terminal: 0 for marks on the character before, 2 for wide ones, else 1.
ASSAY_API int columns_of(char32_t character);

}  // namespace assay
