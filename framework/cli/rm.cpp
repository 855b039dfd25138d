#include <fmt/format.h>

#include <map>
#include <set>

#include "base/text.h"
#include "cli/run_list.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "results/pack_edit.h"
#include "results/run_path.h"
#include "results/trash.h"

namespace assay {
namespace {

std::string runs_text(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "run" : "runs");
}

std::vector<std::string> folders(const Arguments& arguments) {
  return arguments.words.empty() ? std::vector<std::string>{"results"} : arguments.words;
}

ExitCode list_trash(const Arguments& arguments) {
  Table table({{"file"}, {"removed"}});
  for (const std::string& folder : folders(arguments))
    for (const Discarded& entry : discarded(folder)) table.row({entry.file, entry.when});
  if (table.empty())
    write_err("the trash is empty\n");
  else
    write_out(table.text(Terminal::of(stdout)));
  return ExitCode::done;
}

ExitCode remove(const Arguments& arguments) {
  RunList list(arguments.words);
  std::vector<std::string> files, problems;
  if (const auto filter = arguments.value("filter")) {
    list.read_for(*filter, "--filter");
    list.load();
    problems = list.problems();
    for (const LoadedRun* run : list.filtered(*filter, "--filter")) files.push_back(run->file);
  } else {
    for (const FoundFile& found : find_results(arguments.words, problems)) {
      if (split_run_path(found.file).file.extension() != ".h5")
        throw Error(
            ExitCode::usage,
            fmt::format("rm: {} is no result file (*.h5); nothing was removed", quote(found.file)));
      files.push_back(found.file);
    }
  }
  for (const std::string& problem : problems) write_err("error: " + problem + "\n");
  std::size_t moved = 0;
  const auto move = [&](std::size_t runs, const auto& discard_them) {
    try {
      discard_them();
      moved += runs;
    } catch (const Error& error) {
      problems.push_back(error.what());
      write_err("error: " + problems.back() + "\n");
    }
  };
  std::map<std::filesystem::path, std::set<std::string>> of_packs;  // each is written anew once
  for (const std::string& file : files) {
    const RunPath at = split_run_path(file);
    if (at.run.empty())
      move(1, [&] { discard(file); });
    else
      of_packs[at.file].insert(at.run);
  }
  for (const auto& of_pack : of_packs)
    move(of_pack.second.size(), [&] { discard_from_pack(of_pack.first, of_pack.second); });
  write_err(
      fmt::format("{} moved to the trash; back with: assay rm --restore FILE\n", runs_text(moved)));
  return problems.empty() ? ExitCode::done : ExitCode::data;
}

ExitCode execute_rm(const Arguments& arguments) {
  int modes = 0;
  for (const char* mode : {"restore", "list", "empty", "filter"}) modes += arguments.has(mode);
  if (modes > 1)
    throw Error(ExitCode::usage, "rm: give one of --filter, --restore, --list and --empty");
  if (arguments.has("list")) return list_trash(arguments);
  if (arguments.words.empty())
    throw Error(ExitCode::usage, "rm: no files given; usage: assay rm FILES|DIRS... [options]");
  if (arguments.has("restore")) {
    for (const std::string& file : arguments.words) restore(file);
    write_err(fmt::format("{} restored\n", runs_text(arguments.words.size())));
    return ExitCode::done;
  }
  if (arguments.has("empty")) {
    std::size_t count = 0;
    for (const std::string& folder : arguments.words) count += empty_trash(folder);
    write_err(fmt::format("{} deleted for good\n", runs_text(count)));
    return ExitCode::done;
  }
  return remove(arguments);
}

}  // namespace

Verb rm_verb() {
  Verb verb;
  verb.name = "rm";
  verb.synopsis = "FILES|DIRS... [options]";
  verb.summary = "Move result files to a trash, and back.";
  verb.details =
      "A folder stands for all result files below it; PACK::RUN is one run of a pack, which comes "
      "back as a file of its own. The trash is the folder .trash beside the files; compare, ls and "
      "export do not look into it.";
  verb.options = {{"filter", 0, "CONDITION",
                   "Only runs for which this holds (see assay help "
                   "compare)."},
                  {"restore", 0, "", "Bring files back: the copy that was removed last."},
                  {"list", 0, "", "What the trash of these folders (or of results) holds."},
                  {"empty", 0, "", "Delete the trash of these folders for good."}};
  verb.examples = {"assay rm results/gpt/seed=1.h5", "assay rm results --filter 'status == failed'",
                   "assay rm --list", "assay rm --restore results/gpt/seed=1.h5"};
  verb.complete = complete_results;
  verb.execute = execute_rm;
  return verb;
}

}  // namespace assay
