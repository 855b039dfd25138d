// The characters (Unicode code points) of a text, numbered in sorted order: what tokenizers of
// characters begin with.
//
//   Alphabet alphabet("char");
//   alphabet.learn(text);
//   alphabet.each(text, -1, text, source, [&](std::int32_t id) { ids.push_back(id); });
//
// Errors: Error(data) naming the place of a byte that is not UTF-8, or of a character that is not
// in the alphabet. Threads: const functions, any.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "base/state.h"
#include "base/utf8.h"
#include "interfaces/tokenizer.h"

namespace assay {

/// The characters that a text has, sorted. REQUIRES well-formed text.
ASSAY_API std::vector<char32_t> distinct_characters(std::string_view text);

/// Throws if text is not UTF-8; owner is the tokenizer, which reads characters.
ASSAY_API void check_utf8(std::string_view text, const TextSource& source, std::string_view owner);

class ASSAY_API Alphabet {
 public:
  /// owner is the tokenizer, for messages.
  explicit Alphabet(std::string owner);
  /// The characters of text.
  void learn(std::string_view text);

  std::int32_t size() const { return static_cast<std::int32_t>(characters_.size()); }
  char32_t character(std::int32_t id) const { return characters_[static_cast<std::size_t>(id)]; }
  /// -1 if it is not here.
  std::int32_t id(char32_t character) const {
    return character < kAscii ? ascii_[character] : rank(character);
  }
  /// Throws if text is not UTF-8.
  void check(std::string_view text, const TextSource& source) const {
    check_utf8(text, source, owner_);
  }
  /// Calls use with the id of each character of text, a part of `whole`, and with `unknown` for
  /// those that are not here, unless that is -1. REQUIRES well-formed text.
  template <class Use>
  void each(std::string_view text, std::int32_t unknown, std::string_view whole,
            const TextSource& source, Use use) const {
    for (std::size_t at = 0; at < text.size();) {
      const char* const start = text.data() + at;
      const auto byte = static_cast<unsigned char>(*start);
      const char32_t character = byte < kAscii ? (++at, byte) : utf8_next(text, at);
      std::int32_t found = id(character);
      if (found < 0) found = unknown;
      if (found < 0)
        refuse(character, whole.substr(0, static_cast<std::size_t>(start - whole.data())), source);
      use(found);
    }
  }
  void state(StateIo& io);

 private:
  static constexpr std::size_t kAscii = 128;
  void set(std::vector<char32_t> characters);
  std::int32_t rank(char32_t character) const;
  [[noreturn]] void refuse(char32_t character, std::string_view before,
                           const TextSource& source) const;

  std::string owner_;
  std::vector<char32_t> characters_;
  std::array<std::int32_t, kAscii> ascii_{};
};

}  // namespace assay
