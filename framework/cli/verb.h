// A verb of the program: `assay <verb> ...`. One file defines each; program.cpp lists them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/arguments.h"
#include "cli/completion.h"

namespace assay {

struct Verb {
  std::string name;
  std::string synopsis;  // what follows the name: "FILE [KEY=VALUE ...] [options]"
  std::string summary;   // one line
  std::string details;   // for its help; is wrapped
  std::vector<OptionSpec> options;
  std::vector<std::string> examples;
  std::function<ExitCode(const Arguments&)> execute;
  Complete complete;  // what its next word may be, options aside; empty: anything
};

Verb run_verb();
Verb check_verb();
Verb config_verb();
Verb schema_verb();
Verb resume_verb();
Verb rerun_verb();
Verb status_verb();
Verb retry_verb();
Verb show_verb();
Verb compare_verb();
Verb diff_verb();
Verb fit_verb();
Verb export_verb();
Verb ls_verb();
Verb rm_verb();
Verb verify_verb();
Verb recover_verb();
Verb unpack_verb();
Verb plugins_verb();
Verb bench_verb();
Verb sample_verb();
Verb attention_verb();
Verb merge_verb();
Verb tokenize_verb();
Verb neighbours_verb();
Verb completion_verb();
Verb help_verb();

}  // namespace assay
