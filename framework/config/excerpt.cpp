// The line of a problem, and a caret below the column.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/unicode.h"
#include "base/utf8.h"
#include "config/problems.h"

namespace assay {
namespace {

constexpr std::size_t kWidth = 76;  // columns of the line that are shown
constexpr std::string_view kIndent = "\n  ";
constexpr std::string_view kCut = "...";

// Line breaks, byte order marks and other signs that would move the cursor are no part of it.
std::string_view line_of(std::string_view text, int line) {
  for (; line > 1 && !text.empty(); --line)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

struct Character {
  std::string bytes;
  std::size_t columns;
};

Character shown(std::string_view bytes, char32_t code) {
  if (code == '\t') return {" ", 1};
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return {std::string(kReplacementText), 1};
  return {std::string(bytes), static_cast<std::size_t>(columns_of(code))};
}

std::size_t columns_of_line(const std::string& line) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < line.size() && columns <= kWidth;) {
    const std::size_t start = at;
    const char32_t code = utf8_next(line, at);
    columns += shown(std::string_view(line).substr(start, at - start), code).columns;
  }
  return columns;
}

// The characters from `first` on that fit beside the one at `column`.
std::vector<Character> characters_around(const std::string& line, std::size_t column,
                                         std::size_t& first, bool& goes_on) {
  constexpr std::size_t kBefore = kWidth * 2 / 3;  // of a long line, in characters
  first = column > kBefore && columns_of_line(line) > kWidth ? column - kBefore : 0;
  std::vector<Character> characters;
  std::size_t index = 0, at = 0, columns = 0;
  while (at < line.size() && columns < kWidth) {
    const std::size_t start = at;
    const char32_t code = utf8_next(line, at);
    if (index++ < first) continue;
    characters.push_back(shown(std::string_view(line).substr(start, at - start), code));
    columns += characters.back().columns;
  }
  goes_on = at < line.size();
  return characters;
}

}  // namespace

std::string excerpt(const Location& at) {
  if (!at.source || at.column < 1) return {};
  std::string_view text = at.source->text;
  while (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  const std::string line = utf8_repaired(line_of(text, at.line));
  if (line.find_first_not_of(" \t") == std::string::npos) return {};
  const auto column = static_cast<std::size_t>(at.column) - 1;
  std::size_t first = 0;
  bool goes_on = false;
  const auto characters = characters_around(line, column, first, goes_on);
  std::string shown_line(first > 0 ? kCut : ""), caret(shown_line.size(), ' ');
  for (std::size_t i = 0; i < characters.size(); ++i) {
    shown_line += characters[i].bytes;
    if (first + i < column) caret.append(characters[i].columns, ' ');
  }
  if (goes_on) shown_line += kCut;
  while (!shown_line.empty() && shown_line.back() == ' ') shown_line.pop_back();
  return std::string(kIndent) + shown_line + std::string(kIndent) + caret + "^";
}

}  // namespace assay
