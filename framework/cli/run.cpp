#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <string>

#include "base/text.h"
#include "cli/comparison.h"
#include "cli/dry_run.h"
#include "cli/measured.h"
#include "cli/progress.h"
#include "cli/request.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verdicts.h"
#include "config/scalar.h"
#include "experiment/collection.h"
#include "experiment/experiment.h"

namespace assay {
namespace {

// How many failures are too many; 0: none are.
std::int64_t failures_allowed(const std::string& how) {
  constexpr std::string_view kAfter = "stop-after=";
  if (how == "continue") return 0;
  if (how == "stop") return 1;
  std::int64_t count = 0;
  if (how.starts_with(kAfter) &&
      parse_integer(std::string_view(how).substr(kAfter.size()), count) == NumberError::none &&
      count >= 1)
    return count;
  throw Error(ExitCode::usage,
              fmt::format("--on-fail: wanted continue, stop or stop-after=N with N from 1, got {}",
                          quote(how)));
}

ExitCode execute_collection(const std::vector<CollectionEntry>& entries,
                            const Arguments& arguments) {
  const std::vector<CollectionResult> results =
      reported([&](Reporter& reporter) { return run_collection(entries, reporter); },
               progress_is_json(arguments));
  write_out(collection_text(entries, results, Terminal::of(stdout)));
  return collection_code(results);
}

// Asks whoever is at the terminal; nobody there is nobody who agreed.
bool confirm_many(std::int64_t runs) {
  constexpr std::int64_t kMany = 1000;
  if (runs <= kMany) return true;
  if (::isatty(STDIN_FILENO) == 0)
    throw Error(ExitCode::usage,
                fmt::format("these are {} runs: --yes runs more than {} without asking, --dry-run "
                            "says what they cost",
                            human_count(runs), human_count(kMany)));
  write_err(fmt::format("These are {} runs. Run them? [y/N] ", human_count(runs)));
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

ExperimentRequest read_run_request(const Arguments& arguments) {
  ExperimentRequest request = read_request("run", arguments);
  request.output = arguments.value("output").value_or("");
  request.folder = arguments.value("out").value_or("");
  if (!request.output.empty() && !request.folder.empty()) {
    throw Error(ExitCode::usage,
                "run: -o names the file of one run, --out the folder of several: give one of them");
  }
  request.force = arguments.has("force");
  request.isolate = arguments.value("isolate") == "process";
  if (request.isolate && request.memory)
    throw Error(ExitCode::usage,
                "run: --memory asks to measure runs first, which --isolate leaves out: give one");
  if (!arguments.has("yes")) request.confirm = confirm_many;
  request.inexact = arguments.has("inexact");
  if (const auto how = arguments.value("on-fail")) request.stop_after = failures_allowed(*how);
  const std::string resume = arguments.value("resume").value_or("auto");
  if (resume == "never") request.resume = Resume::never;
  if (resume == "must") request.resume = Resume::must;
  return request;
}

ExitCode execute_run(const Arguments& arguments) {
  const ExperimentRequest request = read_run_request(arguments);
  if (arguments.has("dry-run")) {
    write_out(dry_run_text(check_file(request), request, Terminal::of(stdout)));
    return ExitCode::done;
  }
  if (const auto entries = read_collection(request)) return execute_collection(*entries, arguments);
  ExperimentResult result =
      reported([&](Reporter& reporter) { return run_experiment(request, reporter); },
               progress_is_json(arguments));

  if (result.runs.empty() && result.unstarted > 0 && result.code == ExitCode::done)
    write_err("nothing was run\n");
  if (result.runs.size() > 1) {
    const std::filesystem::path folder = std::filesystem::path(result.runs[0].file).parent_path();
    write_err(fmt::format("result files are in {}\n", folder.string()));
  }
  const std::vector<LoadedRun> runs = loaded_runs(std::move(result.runs));
  const Terminal terminal = Terminal::of(stdout);
  const std::string measured = runs.size() == 1 ? measured_text(runs[0].record, terminal) : "";
  write_out(comparison_text(runs, terminal) + measured + verdicts_text(result.verdicts, terminal));
  if (result.code == ExitCode::stopped) {
    write_err("stopped by a signal; the same command continues\n");
  }
  return result.code;
}

}  // namespace

Verb run_verb() {
  Verb verb;
  verb.name = "run";
  verb.synopsis = "FILE [KEY=VALUE ...] [options]";
  verb.summary = "Run the experiment in a YAML file.";
  verb.details =
      "KEY=VALUE replaces a value of the file; several values, seed=1,2,3, make several runs. Each "
      "run writes one HDF5 file, results/<experiment>/<run>.h5. A run that is complete is not done "
      "again, one that was stopped continues. Ctrl-C stops after the current step (exit code 75); "
      "a second one quits at once. Progress goes to standard error, the table of results to "
      "standard output. A section expect states results beforehand: each is reported, and one that "
      "is missed makes the exit code 1.";
  verb.options = {
      {"output", 'o', "FILE", "The result file of the one run."},
      {"out", 0, "DIR", "The folder for the result files of several runs."},
      {"force", 0, "", "Do runs anew that are complete."},
      {"isolate",
       0,
       "HOW",
       "process: each run in a process of its own, so that one that crashes is a failed run and "
       "the "
       "others go on. none, the default: all in one.",
       false,
       {"none", "process"}},
      {"dry-run", 0, "", "Run nothing: say which runs there would be, and what they would cost."},
      {"resume",
       0,
       "HOW",
       "Of runs that were stopped: auto continues them (the default), never begins "
       "them anew, must refuses where there is none to continue.",
       false,
       {"auto", "never", "must"}},
      {"inexact", 0, "", "Continue also where program, CPU class, plugins or data are others."},
      {"on-fail", 0, "HOW",
       "When a run fails: continue with the others, stop starting any, or stop-after=N failures; "
       "default: continue, but stop when 8 in a row fail alike."}};
  verb.options.push_back(progress_option());
  verb.options.push_back({"yes", 'y', "", "Do not ask before more than 1,000 runs."});
  for (OptionSpec& option : machine_options()) verb.options.push_back(std::move(option));
  verb.examples = {"assay run experiments/quickstart.yaml",
                   "assay run experiments/shakespeare/gpt.yaml seed=1,2,3,4 --threads 2",
                   "assay run experiments/shakespeare/gpt.yaml model.width=64,128 --dry-run",
                   "assay run gpt.yaml model.layers=3 optimizer.learning_rate=3e-3 -o deep.h5"};
  verb.complete = complete_experiment;
  verb.execute = execute_run;
  return verb;
}

}  // namespace assay
