// Strict YAML (RELIABILITY.md): own event handler over yaml-cpp, never YAML::Load.
//
// Accepted: one document of maps, lists, scalars, anchors, aliases and merge keys `<<`. Refused
// with file:line:column: duplicate keys, tags, a second document, other than UTF-8, depth over 64,
// more than 100,000 nodes after aliases are expanded, more than 16 MiB, unclosed text that yaml-cpp
// would drop. A byte order mark and CRLF are as if they were not there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/api.h"
#include "config/problems.h"
#include "config/value.h"

namespace assay {

/// Throws Error(usage): message with the place. source names the text in messages. Empty text is a
/// null value.
ASSAY_API Value read_yaml(std::string_view text, std::string source);
/// Throws Error(usage) also where the file is missing, a folder, or unreadable, each in its own
/// words.
ASSAY_API Value read_yaml_file(const std::filesystem::path& file);
/// The same, but what does not end the reading (duplicate keys, tags, bad `<<`) is added to
/// problems, to be reported with unknown and mistyped options; of two equal keys the first stays.
ASSAY_API Value read_yaml(std::string_view text, std::string source, Problems& problems);
ASSAY_API Value read_yaml_file(const std::filesystem::path& file, Problems& problems);

/// Block style, keys in order, numbers as written; strings quoted where they must be. read_yaml
/// gives it back. REQUIRES UTF-8 and at most 64 levels, as read_yaml does.
ASSAY_API std::string write_yaml(const Value& value);
/// On one line: "{type: gpt, widths: [1, 2]}".
ASSAY_API std::string write_yaml_flow(const Value& value);

}  // namespace assay
