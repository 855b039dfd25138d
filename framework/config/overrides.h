// Settings from the command line: `a.b=value`, and several values `seed=1,2,3`, which make several
// runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "config/problems.h"
#include "config/value.h"

namespace assay {

struct Override {
  std::string path;            // "model.width"
  std::vector<Value> choices;  // one, or several where commas stand outside quotes and brackets
  std::string argument;        // as given
};

/// Reads one argument: split at the first `=`; the value is YAML (flow style), with the places of
/// the argument. Adds to problems and returns an override without choices if it is malformed.
ASSAY_API Override read_override(std::string_view argument, Problems& problems);

/// base with the value set at the path; missing maps on the way are made. A list item is named by
/// its index. Another `type` replaces the section's other keys. null removes.
ASSAY_API Value apply_override(const Value& base, std::string_view path, const Value& value,
                               Problems& problems);

}  // namespace assay
