// The documentation of one plugin, made from the declaration of its options.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "config/value.h"
#include "plugin/registry.h"

namespace assay {

/// "integer, at least 1", "one of pre, post", "list of real, above 0 and below 1".
std::string option_type_text(const OptionInfo& option);

std::string plugin_text(const PluginEntry& plugin, const Terminal& terminal);
Value plugin_json(const PluginEntry& plugin);

}  // namespace assay
