// One token per character (Unicode code point); ids are ranks in the sorted order of the characters
// that training showed. With `unknown: true` one more id, the last, stands for all others.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

constexpr std::size_t kAscii = 128;
constexpr char32_t kReplacement = 0xFFFD, kLastCharacter = 0x10FFFF;

std::string describe_character(char32_t character) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string digits;
  for (auto rest = static_cast<std::uint32_t>(character); rest > 0 || digits.size() < 4; rest /= 16)
    digits.insert(digits.begin(), kDigits[rest % 16]);
  std::string text;
  utf8_append(text, character);
  return "U+" + digits + " " + quote(text);
}

class Char final : public Tokenizer {
 public:
  struct Options {
    bool unknown = false;
    static void describe(OptionList<Options>& o) {
      o.add("unknown", &Options::unknown,
            "Gives characters that training did not show one id of their own, decoded as U+FFFD; "
            "otherwise such text "
            "is refused.");
    }
  };

  Char(const Options& options, const TokenizerBuild&) : options_(options) {}

  void train(std::string_view text) override {
    check_utf8(text, "the training text");
    std::array<bool, kAscii> seen{};
    std::vector<char32_t> characters;
    for (std::size_t at = 0; at < text.size();) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte < kAscii)
        seen[byte] = true, ++at;
      else
        characters.push_back(utf8_next(text, at));
    }
    for (std::size_t c = 0; c < kAscii; ++c)
      if (seen[c]) characters.push_back(static_cast<char32_t>(c));
    std::sort(characters.begin(), characters.end());
    characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
    set_characters(std::move(characters));
  }

  std::int64_t vocabulary() const override {
    return static_cast<std::int64_t>(characters_.size()) + (options_.unknown ? 1 : 0);
  }

  std::int32_t unknown() const override {
    return options_.unknown ? static_cast<std::int32_t>(characters_.size()) : -1;
  }

  std::vector<std::int32_t> encode(std::string_view text, std::string_view source) const override {
    check_utf8(text, source);
    std::vector<std::int32_t> ids;
    ids.reserve(text.size());
    prefault(ids.data(), text.size() * sizeof ids[0]);
    for (std::size_t at = 0; at < text.size();) {
      const auto byte = static_cast<unsigned char>(text[at]);
      const char32_t character = byte < kAscii ? (++at, byte) : utf8_next(text, at);
      std::int32_t id = byte < kAscii ? ascii_[byte] : rank(character);
      if (id < 0) id = unknown();
      if (id < 0) refuse(character, ids.size(), source);
      ids.push_back(id);
    }
    return ids;
  }

  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    text.reserve(ids.size());
    for (const std::int32_t id : ids) {
      if (id < 0 || id >= vocabulary())
        throw Error(ExitCode::data, "tokenizer 'char': no id " + std::to_string(id) + " among " +
                                        std::to_string(vocabulary()));
      utf8_append(text, id == unknown() ? kReplacement : characters_[static_cast<std::size_t>(id)]);
    }
    return text;
  }

  void state(StateIo& io) override {
    std::vector<std::int64_t> saved(characters_.begin(), characters_.end());
    io.integers("characters", saved);
    if (!io.restores()) return;
    std::vector<char32_t> characters;
    for (const std::int64_t code : saved) {
      const bool surrogate = code >= 0xD800 && code < 0xE000;
      const bool ascends =
          characters.empty() || code > static_cast<std::int64_t>(characters.back());
      if (code < 0 || code > static_cast<std::int64_t>(kLastCharacter) || surrogate || !ascends)
        throw Error(ExitCode::data, "tokenizer 'char': the saved characters are damaged");
      characters.push_back(static_cast<char32_t>(code));
    }
    set_characters(std::move(characters));
  }

 private:
  static void check_utf8(std::string_view text, std::string_view source) {
    const std::size_t at = utf8_error(text);
    if (at == std::string_view::npos) return;
    throw Error(ExitCode::data, std::string(source) + ": byte " + std::to_string(at) +
                                    " is not UTF-8, and tokenizer 'char' reads characters");
  }

  [[noreturn]] void refuse(char32_t character, std::size_t position,
                           std::string_view source) const {
    throw Error(ExitCode::data,
                std::string(source) + ": " + describe_character(character) + " at character " +
                    std::to_string(position) + " (counted from 0) is not among the " +
                    std::to_string(characters_.size()) +
                    " characters of the training text; set `unknown: true` for tokenizer 'char' to "
                    "give such characters an id of their own, or train on text that has it");
  }

  std::int32_t rank(char32_t character) const {
    const auto found = std::lower_bound(characters_.begin(), characters_.end(), character);
    if (found == characters_.end() || *found != character) return -1;
    return static_cast<std::int32_t>(found - characters_.begin());
  }

  void set_characters(std::vector<char32_t> characters) {
    characters_ = std::move(characters);
    for (std::size_t c = 0; c < kAscii; ++c) ascii_[c] = rank(static_cast<char32_t>(c));
  }

  Options options_;
  std::vector<char32_t> characters_;  // sorted
  std::array<std::int32_t, kAscii> ascii_{};
};

}  // namespace

ASSAY_PLUGIN(Tokenizer, "char", Char, "One token per character.")
