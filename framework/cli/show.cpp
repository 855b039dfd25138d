#include "cli/compare_sheets.h"
#include "cli/curves.h"
#include "cli/json.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "results/run_file.h"

namespace assay {
namespace {

WatchedRuns drawn_files(const std::vector<std::string>& files) {
  WatchedRuns drawn{load_runs(files), {}};
  std::vector<const LoadedRun*> runs;
  for (const LoadedRun& run : drawn.set.runs) runs.push_back(&run);
  const std::vector<std::string> names = short_names(runs);
  for (std::size_t i = 0; i < runs.size(); ++i)
    drawn.runs.push_back({runs[i], i, label_of(i), names[i]});
  return drawn;
}

ExitCode draw(const Arguments& arguments) {
  if (arguments.has("json"))
    throw Error(ExitCode::usage, "show: --curves draws: it does not go with --json");
  const WatchedRuns drawn = drawn_files(arguments.words);
  for (const std::string& problem : drawn.set.problems) write_err("error: " + problem + "\n");
  if (drawn.runs.empty()) return ExitCode::data;
  const CurveOptions options = read_curve_options(arguments, drawn.set);
  if (options.watch)
    watch_curves([&] { return drawn_files(arguments.words); }, options);
  else
    write_out(curves_text(drawn.runs, options, Terminal::of(stdout)));
  return drawn.set.problems.empty() ? ExitCode::done : ExitCode::data;
}

ExitCode execute_show(const Arguments& arguments) {
  if (wants_curves("show", arguments) && !arguments.words.empty()) return draw(arguments);
  if (arguments.words.size() != 1)
    throw Error(ExitCode::usage,
                "show: wanted one result file, or several with --curves METRIC; usage: assay show "
                "FILE [--json] [--samples]");
  const std::string& file = arguments.words[0];
  const RunRecord record = read_run(file, false);
  const Samples samples = arguments.has("samples") ? Samples::all : Samples::latest;
  write_out(arguments.has("json") ? write_json(summary_json(record))
                                  : summary_text(record, file, Terminal::of(stdout), samples));
  return ExitCode::done;
}

}  // namespace

Verb show_verb() {
  Verb verb;
  verb.name = "show";
  verb.synopsis = "FILE [--json] [--samples]";
  verb.summary = "Show what a result file holds: what was run and how it went.";
  verb.details =
      "--json prints one object. JSON has no NaN and no infinity: they are the texts \"nan\", "
      "\"inf\" and \"-inf\"; what is not known is null. With --curves it draws metrics of one file "
      "or several, and nothing else; `assay compare` does so beside its tables.";
  verb.options = {
      {"json", 0, "", "Print one JSON object."},
      {"samples", 0, "", "Show the samples of every evaluation, not the latest alone."}};
  for (OptionSpec& option : curve_options()) verb.options.push_back(std::move(option));
  verb.examples = {"assay show results/gpt/seed=1.h5", "assay show results/gpt/seed=1.h5 --json",
                   "assay show results/gpt/seed=1.h5 --curves train/loss,val/loss --watch"};
  verb.complete = complete_results;
  verb.execute = execute_show;
  return verb;
}

}  // namespace assay
