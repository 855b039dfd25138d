// What verbs have in common on the command line: the experiment they are about, settings, plugins.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "config/problems.h"
#include "config/value.h"
#include "experiment/experiment.h"

namespace assay {

/// --threads, --jobs and --plugins.
std::vector<OptionSpec> machine_options();
OptionSpec plugins_option();
/// The folders of --plugins. Throws Error(usage) for one that is not there or has no plugin.
std::vector<std::filesystem::path> plugin_folders(const Arguments& arguments);

/// Whether the word is KEY=VALUE.
/// `--memory`, in bytes. Throws Error(usage).
std::optional<double> read_memory(const Arguments& arguments);

/// `--progress`, of verbs that run.
OptionSpec progress_option();
bool progress_is_json(const Arguments& arguments);

bool is_setting(const std::string& word);
/// The words from `first` on. Throws Error(usage) for one that is no KEY=VALUE.
std::vector<std::string> read_settings(const std::string& verb, const Arguments& arguments,
                                       std::size_t first, const std::string& usage);
/// {type: TYPE, KEY: VALUE ...}: the section of a plugin, as an experiment would write it at `at`.
Value plugin_section(const std::string& type, const std::vector<std::string>& settings,
                     const Location& at, Problems& problems);

/// FILE KEY=VALUE ... and machine_options(). Throws Error(usage) if FILE is missing or a word is no
/// KEY=VALUE.
ExperimentRequest read_request(const std::string& verb, const Arguments& arguments);

}  // namespace assay
