#include "cli/scaffold.h"

#include <set>
#include <utility>

namespace assay {

std::vector<std::string> scaffold_kinds() {
  std::set<std::string> kinds;
  for (const ScaffoldFile& file : scaffold_files())
    if (file.kind != "any") kinds.emplace(file.kind);
  return {kinds.begin(), kinds.end()};
}

std::string class_name(std::string_view kind, std::string_view name) {
  std::string words(name);
  const std::string ending = "_" + std::string(kind);
  if (!words.ends_with(ending)) words += ending;
  std::string camel;
  bool starts = true;
  for (const char c : words) {
    if (c != '_') camel += starts && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    starts = c == '_';
  }
  return camel;
}

std::string filled_in(std::string_view text, std::string_view kind, std::string_view name) {
  const std::pair<std::string_view, std::string> places[] = {{"@NAME@", std::string(name)},
                                                             {"@CLASS@", class_name(kind, name)},
                                                             {"@KIND@", std::string(kind)}};
  std::string filled(text);
  for (const auto& [place, value] : places)
    for (std::size_t at = filled.find(place); at != std::string::npos;
         at = filled.find(place, at + value.size()))
      filled.replace(at, place.size(), value);
  return filled;
}

}  // namespace assay
