#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/adaptation.h"
#include "results/run_file.h"

namespace assay {
namespace {

constexpr const char* kMergeUsage = "usage: assay merge FILE -o MERGED.h5";

ExitCode execute_merge(const Arguments& arguments) {
  const auto refuse = [](const std::string& what) {
    throw Error(ExitCode::usage, fmt::format("merge: {}; {}", what, kMergeUsage));
  };
  if (arguments.words.size() != 1) refuse("one result file is wanted");
  const auto output = arguments.value("output");
  if (!output) refuse("no file to write to given");
  const std::string& file = arguments.words[0];
  std::error_code none;
  if (std::filesystem::exists(*output, none) && !arguments.has("force"))
    refuse(fmt::format("{} exists; --force replaces it", *output));
  const RunRecord record = read_run(file);
  if (record.status != RunStatus::done)
    refuse(fmt::format("{}: is not complete; `assay resume` continues it", file));
  const RunRecord result = merged(record, file);
  write_run(*output, result);
  write_out(
      fmt::format("{}: {} parameters, no adapters\n", *output, human_count(result.parameters)));
  return ExitCode::done;
}

}  // namespace

Verb merge_verb() {
  Verb verb;
  verb.name = "merge";
  verb.synopsis = "FILE -o MERGED.h5 [--force]";
  verb.summary = "Add the low-rank adapters of a model to its weights.";
  verb.details =
      "FILE is the result of a run with model.lora. The file written has a model without adapters "
      "that gives the same logits; the state of the optimizer is left out.";
  verb.options = {{"output", 'o', "FILE", "Where the merged model goes."},
                  {"force", 0, "", "Replace that file."}};
  verb.examples = {"assay merge results/lora/seed=1.h5 -o merged.h5"};
  verb.complete = complete_results;
  verb.execute = execute_merge;
  return verb;
}

}  // namespace assay
