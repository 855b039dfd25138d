// JSON Schema (draft 7, which editors know best) of declared options.
#pragma once

#include <string>

#include "base/api.h"
#include "config/options.h"
#include "config/value.h"

namespace assay {

/// A schema is a Value: quoted scalars are JSON strings, others numbers and truth values.
ASSAY_API Value schema_text(std::string_view text);

/// Of one option, as it may be written: its type, bounds and choices, null (as if it were not
/// there), or a text with a reference `${...}`.
ASSAY_API Value option_schema(const OptionInfo& option);
/// Where the schema of the section of a plugin of this kind stands.
std::string kind_reference(const std::string& kind);

/// Of a section with these options and no others: {type: object, properties, ...} and its rules.
/// type: the plugin's name; empty if the section has none.
ASSAY_API Value table_schema(const OptionTable& table, const std::string& type,
                             const std::string& description);

}  // namespace assay
