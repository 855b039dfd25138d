// What `run` and `check` have in common: the experiment they are about, from the command line.
#pragma once

#include <vector>

#include "cli/arguments.h"
#include "experiment/experiment.h"

namespace assay {

/// --threads, --jobs and --plugins.
std::vector<OptionSpec> machine_options();
OptionSpec plugins_option();

/// FILE KEY=VALUE ... and machine_options(). Throws Error(usage) if FILE is missing or a word is no
/// KEY=VALUE.
ExperimentRequest read_request(const std::string& verb, const Arguments& arguments);

}  // namespace assay
