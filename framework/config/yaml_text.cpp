#include "config/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace assay {

Location YamlPlaces::at(std::size_t offset) {
  offset = std::min(offset, text_.size());
  if (offset < offset_) {
    offset_ = 0;
    line_ = column_ = 1;
  }
  for (; offset_ < offset; ++offset_) {
    const char c = text_[offset_];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) {  // a character's first byte
      ++column_;
    }
  }
  if (start_.line == 0) return {start_.source, 0, start_.column + column_ - 1};
  return {start_.source, line_, column_};
}

std::string yaml_characters(std::string_view text, const Location& start) {
  if (text.size() > kYamlBytes)
    throw YamlFault{{start.source, 0, 0},
                    // How much more there is nobody knows: files are read no further.
                    fmt::format("more than {} of configuration: is this the right file?",
                                human_bytes(static_cast<double>(kYamlBytes)))};
  const std::size_t bad = utf8_error(text);  // counted in the file, before a mark is taken off
  while (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);

  const auto refuse = [&](std::size_t offset, std::string message) {
    throw YamlFault{YamlPlaces(text, start).at(offset), std::move(message)};
  };
  if (const std::size_t error = utf8_error(text); error != std::string_view::npos)
    refuse(error, fmt::format("byte {} (0x{:02x}) is not UTF-8; save the file as UTF-8", bad,
                              static_cast<unsigned char>(text[error])));
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\r') {
      if (i + 1 == text.size() || text[i + 1] != '\n')
        refuse(i, "a carriage return without a line feed; save the file with Unix line ends");
      continue;
    }
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F)
      refuse(i,
             fmt::format("control character 0x{0:02x}; write \"\\x{0:02x}\" in double quotes", c));
    if (c == '%' && (i == 0 ? start.line > 0 : text[i - 1] == '\n'))
      refuse(
          i,
          "a line that starts with '%' is a YAML directive, which is refused; remove or indent it");
    result.push_back(text[i]);
  }
  // yaml-cpp takes blanks of an unfinished last line into a block scalar.
  const std::size_t last_line = result.rfind('\n') + 1;
  if (result.find_first_not_of(" \t", last_line) == std::string::npos) result.resize(last_line);
  return result;
}

std::string yaml_complaint(std::string_view message) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 27> words = {{
      {"end of map not found",
       "this does not continue the map above; check the indentation, and put text that contains "
       "signs such as ':' in quotes"},
      {"end of map flow not found",
       "this bracket is never closed; close it, or put the text in quotes"},
      {"end of sequence not found", "this does not continue the list above; check the indentation"},
      {"end of sequence flow not found",
       "this bracket is never closed; close it, or put the text in quotes"},
      {"unknown token", "text cannot start with this sign; put it in quotes"},
      {"illegal document indicator in scalar", "the closing quote is missing"},
      {"illegal EOF in scalar", "the closing quote is missing"},
      {"illegal tab when looking for indentation", "a tab in the indentation; use spaces"},
      {"illegal flow end",
       "nothing was opened that this bracket closes; remove it, or put the text in quotes"},
      {"illegal block entry",
       "a list's '-' cannot stand here; start it on a line of its own, or put the text in quotes"},
      {"illegal map key", "'?' cannot stand here; put the text in quotes"},
      {"illegal map value",
       "':' cannot stand here; put the text in quotes, or check the indentation"},
      {"alias not found after *",
       "a name must follow '*'; put the text in quotes if no alias is meant"},
      {"anchor not found after &",
       "a name must follow '&'; put the text in quotes if no anchor is meant"},
      {"illegal character found while scanning alias",
       "'*' starts an alias, whose name is letters and digits; put the text in quotes if none is "
       "meant"},
      {"illegal character found while scanning anchor",
       "'&' starts an anchor, whose name is letters and digits; put the text in quotes if none is "
       "meant"},
      {"the referenced anchor is not defined",
       "no anchor ('&name') of this alias ('*name') stands above; put the text in quotes if none "
       "is meant"},
      {"unknown escape character",
       "no such escape in double quotes; write \\\\ for a backslash, or use single quotes"},
      {"bad character found while scanning hex number",
       "an escape in double quotes needs hexadecimal digits"},
      {"invalid unicode", "this escape is no Unicode character"},
      {"unexpected character in block scalar", "after '|' or '>' the text starts on the next line"},
      {"cannot set zero indentation for a block scalar", "the text of '|' or '>' must be indented"},
      {"cannot assign multiple tags to the same node", "tags are refused; remove '!'"},
      {"cannot assign multiple anchors to the same node", "one value has two anchors; remove one"},
      {"aliases can't have any content", "an alias can have no anchor or tag of its own"},
      {"tag handle with no suffix", "tags are refused; remove '!', or put the text in quotes"},
      {"end of verbatim tag not found", "tags are refused; remove '!', or put the text in quotes"},
  }};
  for (const auto& [theirs, ours] : words)
    if (message.substr(0, theirs.size()) == theirs) return std::string(ours);
  return fmt::format("this is no YAML ({})", message);
}

}  // namespace assay
