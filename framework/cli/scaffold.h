// The files that a new plugin starts from: framework/cli/scaffold/<kind>/, compiled in by
// cmake/scaffold.cmake.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct ScaffoldFile {
  std::string_view kind;  // "model"; "any": for every kind
  std::string_view name;  // "NAME.cpp"
  std::string_view text;  // with @NAME@, @CLASS@ and @KIND@
};

std::vector<ScaffoldFile> scaffold_files();

/// The kinds that have files, sorted.
std::vector<std::string> scaffold_kinds();

/// "my_model" of kind "model" -> "MyModel"; "rnn" -> "RnnModel", so that no class of the framework
/// is met.
std::string class_name(std::string_view kind, std::string_view name);

/// text with the places filled in.
std::string filled_in(std::string_view text, std::string_view kind, std::string_view name);

}  // namespace assay
