#include <fmt/format.h>

#include <algorithm>

#include "cli/completion.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "results/run_set.h"
#include "results/verification.h"

namespace assay {
namespace {

std::string json_of(const std::vector<Verification>& all) {
  std::vector<Value> items;
  for (const Verification& one : all)
    items.push_back(Value::map({{"file", json_text(one.file)},
                                {"sound", json_truth(one.sound)},
                                {"what", json_text(one.what)}},
                               {}));
  return write_json(Value::list(std::move(items), {}));
}

ExitCode execute_verify(const Arguments& arguments) {
  if (arguments.words.empty())
    throw Error(ExitCode::usage, "verify: no files given; usage: assay verify FILES|DIRS...");
  std::vector<std::string> problems;
  std::vector<Verification> all;
  const bool json = arguments.has("json");
  const Terminal terminal = Terminal::of(stdout);
  for (const FoundFile& found : find_results(arguments.words, problems)) {
    all.push_back(verify(found.file));
    const Verification& one = all.back();
    if (json) continue;
    write_out(fmt::format("{}: {}: {}\n", one.file,
                          one.sound ? "sound" : styled(terminal, Style::red, "damaged"), one.what));
  }
  if (json) write_out(json_of(all));
  for (const std::string& problem : problems) write_err("error: " + problem + "\n");
  const bool sound = std::all_of(all.begin(), all.end(), [](const auto& one) { return one.sound; });
  return sound && problems.empty() ? ExitCode::done : ExitCode::data;
}

}  // namespace

Verb verify_verb() {
  Verb verb;
  verb.name = "verify";
  verb.synopsis = "FILES|DIRS... [--json]";
  verb.summary = "Check that result files are whole and unchanged.";
  verb.details =
      "One line for each file: its SHA-256, every dataset, the digest of its final weights; of a "
      "run that is not over also its journal and its checkpoints. A folder stands for all result "
      "files below it. Exit code 5 if any is damaged; assay recover saves what can be saved.";
  verb.options = {{"json", 0, "", "Print one JSON list: file, sound, what."}};
  verb.examples = {"assay verify results", "assay verify results/gpt/seed=1.h5 --json"};
  verb.complete = complete_results;
  verb.execute = execute_verify;
  return verb;
}

}  // namespace assay
