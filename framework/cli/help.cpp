#include <fmt/format.h>

#include "cli/program.h"
#include "cli/terminal.h"

namespace assay {
namespace {

ExitCode execute_help(const Arguments& arguments) {
  if (arguments.words.size() > 1) {
    throw Error(ExitCode::usage, "help: wanted at most one verb; usage: assay help [VERB]");
  }
  write_out(arguments.words.empty() ? program_help() : verb_help(find_verb(arguments.words[0])));
  return ExitCode::done;
}

std::vector<Candidate> complete_help(const Unfinished& line) {
  std::vector<Candidate> found;
  for (const Verb& verb : verbs())
    if (line.before.words.empty() && verb.name.starts_with(line.word))
      found.push_back({verb.name, verb.summary});
  return found;
}

}  // namespace

Verb help_verb() {
  Verb verb;
  verb.name = "help";
  verb.synopsis = "[VERB]";
  verb.summary = "List the verbs, or explain one.";
  verb.examples = {"assay help run"};
  verb.complete = complete_help;
  verb.execute = execute_help;
  return verb;
}

}  // namespace assay
