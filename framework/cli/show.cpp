#include "cli/json.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "results/run_file.h"

namespace assay {
namespace {

ExitCode execute(const Arguments& arguments) {
  if (arguments.words.size() != 1) {
    throw Error(ExitCode::usage, "show: wanted one result file; usage: assay show FILE [--json]");
  }
  const std::string& file = arguments.words[0];
  const RunRecord record = read_run(file, false);
  write_out(arguments.has("json") ? write_json(summary_json(record))
                                  : summary_text(record, file, Terminal::of(stdout)));
  return ExitCode::done;
}

}  // namespace

Verb show_verb() {
  Verb verb;
  verb.name = "show";
  verb.synopsis = "FILE [--json]";
  verb.summary = "Show what a result file holds: what was run and how it went.";
  verb.details =
      "--json prints one object. JSON has no NaN and no infinity: they are the texts \"nan\", "
      "\"inf\" and \"-inf\"; what is not known is null.";
  verb.options = {{"json", 0, "", "Print one JSON object."}};
  verb.examples = {"assay show results/gpt/seed=1.h5", "assay show results/gpt/seed=1.h5 --json"};
  verb.complete = complete_results;
  verb.execute = execute;
  return verb;
}

}  // namespace assay
