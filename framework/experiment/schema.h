// The JSON Schema of experiment files, with the options of every plugin that can be opened.
#pragma once

#include <string>

#include "base/api.h"
#include "config/value.h"
#include "plugin/registry.h"

namespace assay {

/// section: empty for a whole experiment, else what a group's file of this section may hold
/// ("model", "train"). Throws Error(usage), with a near match, if there is no such section.
ASSAY_API Value experiment_schema(Registry& registry, const std::string& section = {});

}  // namespace assay
