// What reading a file and reading an argument share: the text of one YAML document to a tree.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/problems.h"
#include "config/value.h"

namespace assay {

/// text starts at start: {file, 1, 1}, or {argument, 0, column}, which keeps places on one line.
/// Duplicate keys, tags and the like are added to problems and reading goes on; what ends the
/// reading is added too, and there is no value.
std::optional<Value> parse_yaml(std::string_view text, const Location& start, Problems& problems);

}  // namespace assay
