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

/// Stands for what is no character, or is not known: U+FFFD.
constexpr char32_t kReplacement = 0xFFFD;
constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";

/// Offset of the first byte that starts no well-formed character; npos if there is none.
ASSAY_API std::size_t utf8_error(std::string_view text);
/// Bytes of the well-formed character that text starts with; 0 if there is none. REQUIRES text that
/// is not empty.
ASSAY_API std::size_t utf8_length(std::string_view text);
/// The code point at offset `at`, which moves behind it. REQUIRES at < text.size() and well-formed
/// text.
ASSAY_API char32_t utf8_next(std::string_view text, std::size_t& at);
/// REQUIRES a code point that is no surrogate and at most U+10FFFF.
ASSAY_API void utf8_append(std::string& to, char32_t code_point);
/// Number of code points; of text that is not well-formed, of bytes that do not continue one.
ASSAY_API std::size_t utf8_count(std::string_view text);
/// Bytes of the first `count` code points, counted likewise; all of text if it has no more.
ASSAY_API std::size_t utf8_bytes(std::string_view text, std::size_t count);

/// Text that arrives in pieces which may end within a character, as that of byte tokens does. Shows
/// what is complete; what cannot become a character is U+FFFD, one for each longest beginning of a
/// character (Unicode 14, section 3.9, "U+FFFD Substitution of Maximal Subparts").
///
///   Utf8Decoder decoder;
///   for (const auto id : ids) show(decoder.add(tokenizer.decode({&id, 1})));
///   show(decoder.finish());
///
/// All that was returned, put together, is utf8_repaired of all that was added.
class ASSAY_API Utf8Decoder {
 public:
  std::string add(std::string_view bytes);
  /// What is still incomplete; the decoder is then as new.
  std::string finish();

 private:
  std::string pending_;  // the beginning of one character
};

/// text with U+FFFD in place of what is not well-formed.
ASSAY_API std::string utf8_repaired(std::string_view text);

}  // namespace assay
