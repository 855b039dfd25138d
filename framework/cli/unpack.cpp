#include <fmt/format.h>

#include "cli/completion.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "results/pack_edit.h"
#include "results/run_path.h"

namespace assay {
namespace {

ExitCode execute_unpack(const Arguments& arguments) {
  if (arguments.words.size() != 1)
    throw Error(ExitCode::usage,
                "unpack: wanted one pack; usage: assay unpack FILE[::RUN] [--out DIR]");
  const std::filesystem::path path = arguments.words[0];
  const std::filesystem::path pack = split_run_path(path).file;
  const std::filesystem::path folder = arguments.value("out").value_or(pack.parent_path().string());
  const auto files = unpack(path, folder);
  for (const auto& file : files) write_out(file.string() + "\n");
  write_err(fmt::format("{} {} written; {} stays as it is\n", files.size(),
                        files.size() == 1 ? "file" : "files", pack.string()));
  return ExitCode::done;
}

}  // namespace

Verb unpack_verb() {
  Verb verb;
  verb.name = "unpack";
  verb.synopsis = "FILE[::RUN] [--out DIR]";
  verb.summary = "Give the runs of a pack files of their own.";
  verb.details =
      "Prints the names of the files, one a line. Nothing is overwritten, and the pack stays: "
      "remove it with assay rm, or verbs that look into the folder see each run twice. Packs come "
      "from sweeps with results: {pack: N}.";
  verb.options = {{"out", 0, "DIR", "Where the files go; default: beside the pack."}};
  verb.examples = {"assay unpack results/gpt/pack-0001.h5 --out runs",
                   "assay unpack results/gpt/pack-0001.h5::seed=1_1f3a9c04"};
  verb.complete = complete_results;
  verb.execute = execute_unpack;
  return verb;
}

}  // namespace assay
