#include <fmt/format.h>

#include "base/text.h"
#include "cli/progress.h"
#include "cli/request.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/from_file.h"
#include "experiment/frozen_plan.h"
#include "results/run_path.h"
#include "results/run_set.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

FromFileRequest read(const std::string& verb, const Arguments& arguments) {
  if (arguments.words.empty())
    throw Error(ExitCode::usage,
                fmt::format("{}: no result file given; usage: assay {} FILE", verb, verb));
  FromFileRequest request;
  request.file = arguments.words[0];
  request.overrides = {arguments.words.begin() + 1, arguments.words.end()};
  request.plugins = plugin_folders(arguments);
  request.threads = arguments.count("threads", 0);
  request.inexact = arguments.has("inexact");
  return request;
}

// "seed=1.rerun.h5" beside the file, also for "pack-0001.h5::seed=1".
std::filesystem::path rerun_file(const std::filesystem::path& path) {
  const RunPath at = split_run_path(path);
  return own_file(path, (at.run.empty() ? at.file.stem().string() : at.run) + ".rerun");
}

ExitCode code_of(RunStatus status) {
  if (status == RunStatus::done) return ExitCode::done;
  return status == RunStatus::stopped ? ExitCode::stopped : ExitCode::failed;
}

ExitCode execute_resume(const Arguments& arguments) {
  const FromFileRequest request = read("resume", arguments);
  read_settings("resume", arguments, 1, "usage: assay resume FILE [train.steps=N]");
  const RunResult result =
      reported([&](Reporter& reporter) { return resume_run(request, reporter); });
  if (result.record.status == RunStatus::stopped)
    write_err("stopped by a signal; the same command continues\n");
  return code_of(result.record.status);
}

// Into a folder of its own. Which runs there are, how far each got, and when the sweep ended is as
// it was: neither a search nor the clock decides again.
ExitCode rerun_folder(FromFileRequest request) {
  const fs::path folder = request.file.lexically_normal().has_filename()
                              ? request.file.lexically_normal()
                              : request.file.lexically_normal().parent_path();
  const fs::path into =
      request.output.empty() ? fs::path(folder.string() + ".rerun") : request.output;
  if (fs::exists(into) && !request.force)
    throw Error(ExitCode::usage,
                fmt::format("{}: is there already; choose another folder with -o, or --force to "
                            "replace the files in it",
                            into.string()));
  const RunSet set = load_summaries({folder.string()});
  if (!set.problems.empty()) throw Error(ExitCode::data, join(set.problems, "\n"));
  std::int64_t same = 0, pruned = 0, others = 0, left = 0;
  for (const LoadedRun& run : set.runs) {
    const RunStatus status = run.record.status;
    if (status != RunStatus::done && status != RunStatus::pruned) {
      write_err(fmt::format("{}: is not complete, and left out\n", run.file));
      ++left;
      continue;
    }
    request.file = run.file;
    request.output = into / (run.record.run + ".h5");
    const RerunResult result =
        reported([&](Reporter& reporter) { return rerun(request, reporter); });
    if (!result.compared) return code_of(result.run.record.status);
    ++(result.difference.empty() ? same : others);
    pruned += status == RunStatus::pruned ? 1 : 0;
    if (!result.difference.empty())
      write_out(fmt::format("{}: not the same bits: {}\n", run.file, result.difference));
  }
  std::string text = fmt::format("the same bits: {} of {} runs", same, same + others);
  if (pruned > 0) text += fmt::format(", {} of them pruned where they were", pruned);
  if (left > 0) text += fmt::format("; {} left out, as they are not complete", left);
  const auto plan = read_plan(folder);
  if (plan && plan->ended_after)
    text += fmt::format("; ended after {} trials, as then: {}", *plan->ended_after,
                        plan->ended_because);
  write_out(text + "\n");
  return others > 0 ? ExitCode::failed : ExitCode::done;
}

ExitCode execute_rerun(const Arguments& arguments) {
  FromFileRequest request = read("rerun", arguments);
  if (request.overrides.size() > 0)
    throw Error(ExitCode::usage,
                "rerun: takes one result file and no settings; a run with other settings is `assay "
                "run`");
  request.force = arguments.has("force");
  request.output = arguments.value("output").value_or("");
  if (std::filesystem::is_directory(request.file)) return rerun_folder(std::move(request));
  if (request.output.empty()) request.output = rerun_file(request.file);
  const RerunResult result = reported([&](Reporter& reporter) { return rerun(request, reporter); });
  const RunRecord& record = result.run.record;
  if (!result.compared) return code_of(record.status);
  if (!result.difference.empty()) {
    write_out(fmt::format("not the same bits: {}\n", result.difference));
    return ExitCode::failed;
  }
  write_out(fmt::format("the same bits: {} metrics and the final weights, digest {}\n",
                        record.metrics.size(), record.digest.substr(0, 16)));
  return ExitCode::done;
}

std::vector<OptionSpec> options_of() {
  return {{"threads", 0, "N", "Size of the thread pool; default: the cores this process may use."},
          {"inexact", 0, "", "Also where program, CPU class, plugins or data are others."},
          plugins_option()};
}

}  // namespace

Verb resume_verb() {
  Verb verb;
  verb.name = "resume";
  verb.synopsis = "FILE [train.steps=N] [options]";
  verb.summary = "Continue the run in a result file.";
  verb.details =
      "Continues a run that was stopped, killed or failed, from its last checkpoint, to the bits "
      "of one that was never stopped; rows beyond the checkpoint are computed again and compared. "
      "A complete run is left as it is, unless more steps are asked for. Any other setting is "
      "refused, but how the run is kept (checkpoint, durability).";
  verb.options = options_of();
  verb.examples = {"assay resume results/gpt/seed=1.h5",
                   "assay resume results/gpt/seed=1.h5 train.steps=2000"};
  verb.complete = complete_results;
  verb.execute = execute_resume;
  return verb;
}

Verb rerun_verb() {
  Verb verb;
  verb.name = "rerun";
  verb.synopsis = "FILE|DIR [options]";
  verb.summary = "Do the run in a result file again and compare the bits.";
  verb.details =
      "The file alone says what to run. Program, CPU class, plugins and data are compared with "
      "those of the file first; at the end, every metric and the final weights. Exit code 1 if the "
      "bits differ. Of a folder, all its runs: those that are there, pruned ones as far as they "
      "got. Neither a search nor the clock decides again.";
  verb.options = options_of();
  verb.options.push_back({"output", 'o', "PATH",
                          "The new result file; default: <run>.rerun.h5 beside it. Of a folder: "
                          "the new one; default: <folder>.rerun."});
  verb.options.push_back({"force", 0, "", "Replace what is there of it."});
  verb.examples = {"assay rerun results/gpt/seed=1.h5", "assay rerun results/rates"};
  verb.complete = complete_results;
  verb.execute = execute_rerun;
  return verb;
}

}  // namespace assay
