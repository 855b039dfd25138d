// Strict JSON (RFC 8259) as a configuration's values: the right side of `k:=json` on the command
// line.
#pragma once

#include <optional>
#include <string_view>

#include "config/problems.h"
#include "config/value.h"

namespace assay {

/// text starts at start: {argument, 0, column}. Strings are quoted text, numbers are kept as
/// written. Not JSON, two equal keys, or lists and maps more than 64 deep are added to problems,
/// and there is no value.
std::optional<Value> parse_json(std::string_view text, const Location& start, Problems& problems);

}  // namespace assay
