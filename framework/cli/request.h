// What `run` and `check` have in common: the experiment they are about, from the command line.
#pragma once

#include <vector>

#include "cli/arguments.h"
#include "experiment/experiment.h"

namespace assay {

/// --threads, --jobs and --plugins.
std::vector<OptionSpec> machine_options();
OptionSpec plugins_option();
/// The folders of --plugins. Throws Error(usage) for one that is not there or has no plugin.
std::vector<std::filesystem::path> plugin_folders(const Arguments& arguments);

/// FILE KEY=VALUE ... and machine_options(). Throws Error(usage) if FILE is missing or a word is no
/// KEY=VALUE.
ExperimentRequest read_request(const std::string& verb, const Arguments& arguments);

}  // namespace assay
