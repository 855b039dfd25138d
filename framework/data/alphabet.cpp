#include "data/alphabet.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"

namespace assay {
namespace {

constexpr char32_t kLastCharacter = 0x10FFFF;

// "line 3, column 7 (character 52, counted from 0)": of what follows `before` in its source.
std::string place_after(std::string_view before, const TextSource& source) {
  const auto lines = [](std::string_view text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  const std::size_t newline = before.rfind('\n');
  std::size_t column = utf8_count(before.substr(newline == before.npos ? 0 : newline + 1)) + 1;
  if (newline == before.npos) {
    const std::size_t earlier = source.before.rfind('\n');
    column += utf8_count(source.before.substr(earlier == source.before.npos ? 0 : earlier + 1));
  }
  return fmt::format("line {}, column {} (character {}, counted from 0)",
                     lines(source.before) + lines(before) + 1, column,
                     utf8_count(source.before) + utf8_count(before));
}

void sort_distinct(std::vector<char32_t>& characters) {
  std::sort(characters.begin(), characters.end());
  characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
}

std::vector<char32_t> characters_of(std::string_view text) {
  constexpr std::size_t kAscii = 128;
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
  sort_distinct(characters);
  return characters;
}

}  // namespace

void check_utf8(std::string_view text, const TextSource& source, std::string_view owner) {
  const std::size_t at = utf8_error(text);
  if (at == std::string_view::npos) return;
  throw Error(ExitCode::data, fmt::format("{}: byte {} is not UTF-8, and tokenizer '{}' reads "
                                          "characters",
                                          source.name, source.before.size() + at, owner));
}

std::vector<char32_t> distinct_characters(std::string_view text) {
  constexpr std::size_t kPart = std::size_t{1} << 18;
  // Parts begin where a character does.
  std::vector<std::size_t> ends;
  for (std::size_t end = kPart; end < text.size(); end += kPart)
    ends.push_back(end + utf8_bytes(text.substr(end), 0));
  ends.push_back(text.size());
  std::vector<std::vector<char32_t>> parts(ends.size());
  parallel_for(static_cast<std::int64_t>(ends.size()), [&](std::int64_t i) {
    const auto part = static_cast<std::size_t>(i);
    const std::size_t start = part == 0 ? 0 : ends[part - 1];
    parts[part] = characters_of(text.substr(start, ends[part] - start));
  });
  std::vector<char32_t> characters;
  for (const auto& part : parts) characters.insert(characters.end(), part.begin(), part.end());
  sort_distinct(characters);
  return characters;
}

Alphabet::Alphabet(std::string owner) : owner_(std::move(owner)) {
  ascii_.fill(-1);
}

void Alphabet::learn(std::string_view text) {
  check(text, "the training text");
  set(distinct_characters(text));
}

void Alphabet::state(StateIo& io) {
  std::vector<std::int64_t> saved(characters_.begin(), characters_.end());
  io.integers("characters", saved);
  if (!io.restores()) return;
  std::vector<char32_t> characters;
  for (const std::int64_t code : saved) {
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    const bool ascends = characters.empty() || code > static_cast<std::int64_t>(characters.back());
    if (code < 0 || code > static_cast<std::int64_t>(kLastCharacter) || surrogate || !ascends)
      throw Error(ExitCode::data,
                  fmt::format("tokenizer '{}': the saved characters are damaged", owner_));
    characters.push_back(static_cast<char32_t>(code));
  }
  set(std::move(characters));
}

void Alphabet::refuse(char32_t character, std::string_view before, const TextSource& source) const {
  std::string shown;
  utf8_append(shown, character);
  throw Error(
      ExitCode::data,
      fmt::format("{}: U+{:04X} {} at {} is not among the {} characters of the training text; set "
                  "`unknown: true` for tokenizer '{}' to give such characters an id of their own, "
                  "or train on text that has it",
                  source.name, static_cast<std::uint32_t>(character), quote(shown),
                  place_after(before, source), characters_.size(), owner_));
}

std::int32_t Alphabet::rank(char32_t character) const {
  const auto found = std::lower_bound(characters_.begin(), characters_.end(), character);
  if (found == characters_.end() || *found != character) return -1;
  return static_cast<std::int32_t>(found - characters_.begin());
}

void Alphabet::set(std::vector<char32_t> characters) {
  characters_ = std::move(characters);
  for (std::size_t c = 0; c < kAscii; ++c) ascii_[c] = rank(static_cast<char32_t>(c));
}

}  // namespace assay
