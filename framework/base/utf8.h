// UTF-8 as text is stored everywhere in Assay: checking, counting, decoding and encoding.
//
//   if (const auto at = utf8_error(text); at != std::string_view::npos)
//     throw Error(ExitCode::data, fmt::format("{}: not UTF-8 at byte {}", file, at));
//   for (std::size_t at = 0; at < text.size();) use(utf8_next(text, at));
//
// Accepted is what RFC 3629 calls well-formed: shortest form only, no surrogates, nothing above
// U+10FFFF. All functions are pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/api.h"

namespace assay {

/// Offset of the first byte that starts no well-formed character; npos if there is none.
ASSAY_API std::size_t utf8_error(std::string_view text);
/// The code point at offset `at`, which moves behind it. REQUIRES at < text.size() and well-formed
/// text.
ASSAY_API char32_t utf8_next(std::string_view text, std::size_t& at);
/// REQUIRES a code point that is no surrogate and at most U+10FFFF.
ASSAY_API void utf8_append(std::string& to, char32_t code_point);
/// Number of code points. REQUIRES well-formed text.
ASSAY_API std::size_t utf8_count(std::string_view text);

}  // namespace assay
