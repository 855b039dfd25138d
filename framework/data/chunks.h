// Cutting text into the chunks that no token crosses. Hand-written scanners: std::regex recurses
// once per character, and cannot name classes of Unicode.
//
//   std::string_view rest = text;
//   while (!rest.empty()) use(take(rest, next_chunk(Chunks::gpt2, rest)));
//
// Chunks put together again are the text, whatever its bytes: one that is not UTF-8 counts as a
// character that is neither letter, number nor space. All functions are pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/api.h"

namespace assay {

enum class Chunks {
  none,   // the whole text is one chunk
  words,  // \s?\S+|\s: one space at most, then what is no space
  /// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  /// (Radford et al., 2019, "Language models are unsupervised multitask learners", their encoder).
  gpt2,
  /// '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|
  /// \s*[\r\n]+|\s+(?!\S)|\s+ (tiktoken's cl100k_base).
  gpt4,
};

/// Bytes of the first chunk. REQUIRES text that is not empty.
ASSAY_API std::size_t next_chunk(Chunks rule, std::string_view text);

}  // namespace assay
