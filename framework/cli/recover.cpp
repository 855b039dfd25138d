#include <fmt/format.h>

#include "cli/completion.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "plugin/contained.h"
#include "results/recovery.h"

namespace assay {
namespace {

HelperEnding in_child(const std::function<void(const SaidFunction&)>& work) {
  const Ending ending = run_contained([&](const Said& said) {
    work(said);
    return ExitCode::done;
  });
  if (!ending.thrown.empty()) throw Error(ending.code, ending.thrown);
  return {ending.finished, ending.during, ending.how};
}

std::filesystem::path beside(const std::filesystem::path& file) {
  return file.parent_path() / (file.stem().string() + ".recovered.h5");
}

ExitCode execute_recover(const Arguments& arguments) {
  if (arguments.words.size() != 1)
    throw Error(ExitCode::usage,
                "recover: wanted one result file; usage: assay recover FILE [-o FILE]");
  const std::filesystem::path file = arguments.words[0];
  const std::filesystem::path output = arguments.value("output").value_or(beside(file).string());
  std::error_code error;
  if (std::filesystem::exists(output, error))
    throw Error(ExitCode::data, fmt::format("{}: exists already, and is not overwritten; choose "
                                            "another file with -o",
                                            output.string()));
  const Recovery found = recover(file, in_child);
  if (found.sound) {
    write_out(fmt::format("{}: is sound: there is nothing to recover\n", file.string()));
    return ExitCode::done;
  }
  for (const std::string& line : found.rescued) write_out("rescued: " + line + "\n");
  for (const std::string& line : found.lost) write_out("lost: " + line + "\n");
  if (found.runs.empty())
    throw Error(ExitCode::data, file.string() + ": nothing in it can be saved");
  write_recovery(output, found);
  const RunRecord& run = found.runs.front();
  write_out(fmt::format("wrote {}", output.string()));
  if (!found.pack && run.status == RunStatus::stopped)
    write_out(
        fmt::format(": `assay resume {}` continues it from step {}", output.string(),
                    run.checkpoints.contains("final") ? run.checkpoints.at("final").step : 0));
  write_out("\n");
  return ExitCode::done;
}

}  // namespace

Verb recover_verb() {
  Verb verb;
  verb.name = "recover";
  verb.synopsis = "FILE [-o FILE]";
  verb.summary = "Save what can be saved of a damaged result file, in a new one.";
  verb.details =
      "Of a file that is damaged, cut short or half written: every dataset that can still be read, "
      "the rows of its journal up to the first bad record, the checkpoints beside it. Says what is "
      "rescued and what is lost. The old files stay as they are; nothing is overwritten.";
  verb.options = {
      {"output", 'o', "FILE", "The new file; default: <run>.recovered.h5 beside the old one."}};
  verb.examples = {"assay recover results/gpt/seed=1.h5",
                   "assay recover results/gpt/seed=1.h5 -o saved.h5"};
  verb.complete = complete_results;
  verb.execute = execute_recover;
  return verb;
}

}  // namespace assay
