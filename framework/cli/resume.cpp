#include <fmt/format.h>

#include "cli/progress.h"
#include "cli/request.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/from_file.h"
#include "results/run_path.h"

namespace assay {
namespace {

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

ExitCode execute_rerun(const Arguments& arguments) {
  FromFileRequest request = read("rerun", arguments);
  if (request.overrides.size() > 0)
    throw Error(ExitCode::usage,
                "rerun: takes one result file and no settings; a run with other settings is `assay "
                "run`");
  request.force = arguments.has("force");
  request.output = arguments.value("output").value_or("");
  if (request.output.empty()) request.output = rerun_file(request.file);
  const RerunResult result = reported([&](Reporter& reporter) { return rerun(request, reporter); });
  const RunRecord& record = result.run.record;
  if (record.status != RunStatus::done) return code_of(record.status);
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
  verb.synopsis = "FILE [options]";
  verb.summary = "Do the run in a result file again and compare the bits.";
  verb.details =
      "The file alone says what to run. Program, CPU class, plugins and data are compared with "
      "those of the file first; at the end, every metric and the final weights. Exit code 1 if the "
      "bits differ.";
  verb.options = options_of();
  verb.options.push_back(
      {"output", 'o', "FILE", "The new result file; default: <run>.rerun.h5 beside it."});
  verb.options.push_back({"force", 0, "", "Replace the new file if it is there."});
  verb.examples = {"assay rerun results/gpt/seed=1.h5"};
  verb.complete = complete_results;
  verb.execute = execute_rerun;
  return verb;
}

}  // namespace assay
