// What `assay plugins` does with a first word.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error.h"
#include "cli/arguments.h"

namespace assay {

/// The search path, --plugins folders first.
std::vector<std::filesystem::path> plugin_search(const Arguments& arguments);

/// test FILE.so|KIND NAME [KEY=VALUE ...]: the contract suite of its kind, in a process of its own.
ExitCode test_plugin(const Arguments& arguments);

/// new KIND NAME: a folder to start from.
ExitCode new_plugin(const Arguments& arguments);

}  // namespace assay
