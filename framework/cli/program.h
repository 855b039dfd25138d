// The program behind main: finds the verb, reads its command line, executes it.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/verb.h"

namespace assay {

std::vector<Verb> verbs();
/// Throws Error(usage), with a near match, if there is no such verb.
Verb find_verb(const std::string& name);

/// Its options and --help.
std::vector<OptionSpec> all_options(const Verb& verb);
/// What may stand in place of a verb.
std::vector<OptionSpec> program_options();

/// The list of verbs, and the help of one.
std::string program_help();
std::string verb_help(const Verb& verb);

/// words: the command line after the program's name. Throws assay::Error.
ExitCode run_program(const std::vector<std::string>& words);

}  // namespace assay
