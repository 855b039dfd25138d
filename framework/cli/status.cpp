// `assay status` and `assay retry`: sweeps by their folders.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "cli/comparison.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "cli/request.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "experiment/experiment.h"
#include "experiment/frozen_plan.h"
#include "results/run_set.h"

namespace assay {
namespace {

std::string folder_of(const std::string& verb, const Arguments& arguments) {
  if (arguments.words.size() != 1)
    throw Error(ExitCode::usage,
                fmt::format("{}: wanted the folder of one sweep; usage: assay {} DIR", verb, verb));
  return arguments.words[0];
}

struct RunStanding {
  std::string run, status;  // "waiting" of one without a file
  const RunRecord* record = nullptr;
};

struct Standing {
  FrozenPlan plan;
  RunSet files;
  std::vector<RunStanding> runs;
  std::map<std::string, std::size_t> counts;  // by status

  explicit Standing(const std::string& folder) {
    auto found = read_plan(folder);
    if (!found)
      throw Error(
          ExitCode::usage,
          fmt::format("{}: has no plan.yaml: it is not the folder of a sweep; `assay ls {}` "
                      "lists the runs of any folder",
                      folder, folder));
    plan = std::move(*found);
    files = load_summaries({folder});
    std::map<std::string, const RunRecord*> by_hash;
    for (const LoadedRun& run : files.runs) {
      const RunRecord*& known = by_hash[run.record.config_hash];
      if (!known || known->status != RunStatus::done) known = &run.record;
    }
    for (const FrozenRun& run : plan.runs) {
      const auto record = by_hash.find(run.hash);
      const bool there = record != by_hash.end();
      runs.push_back({run.run, there ? std::string(name(record->second->status)) : "waiting",
                      there ? record->second : nullptr});
      ++counts[runs.back().status];
    }
  }
};

std::string counts_text(const Standing& standing, const Terminal& terminal) {
  std::string text;
  for (const char* status : {"done", "pruned", "failed", "running", "stopped", "waiting"}) {
    const auto count = standing.counts.find(status);
    if (count == standing.counts.end()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        human_count(static_cast<std::int64_t>(count->second)), status);
  }
  const auto count = static_cast<std::int64_t>(standing.runs.size());
  text = fmt::format("{}: {} runs: {}", styled(terminal, Style::bold, standing.plan.name),
                     human_count(count), text);
  if (const Value* trials = standing.plan.sweep.find("trials"))
    text += standing.plan.sweep.find("population")
                ? fmt::format("; a population of {}, compared {} times so far", trials->text(),
                              standing.plan.generations.size())
                : fmt::format("; chosen by a search of {} trials", trials->text());
  if (standing.plan.ended_after)
    text += fmt::format("; ended after {} trials: {}", *standing.plan.ended_after,
                        standing.plan.ended_because);
  return text + "\n";
}

// Runs that are not done, with how far they are or why they failed.
std::string open_runs_text(const Standing& standing, const Terminal& terminal) {
  constexpr std::size_t kMost = 40;
  Table table({{"run", Align::left, Cut::back}, {"status"}, {"steps", Align::right}, {"message"}});
  std::size_t rows = 0, more = 0;
  for (const RunStanding& run : standing.runs) {
    if (run.status == "done" || run.status == "pruned" || run.status == "waiting") continue;
    if (++rows > kMost) {
      ++more;
      continue;
    }
    table.row(
        {run.run, run.status, human_count(run.record->steps), printable(run.record->message)});
  }
  if (rows == 0) return {};
  std::string text = "\n" + table.text(terminal);
  if (more > 0)
    text += fmt::format("... and {} more; --json lists all\n",
                        human_count(static_cast<std::int64_t>(more)));
  return text;
}

std::string next_text(const Standing& standing, const std::string& folder) {
  std::string text;
  const bool open = standing.counts.contains("waiting") || standing.counts.contains("stopped");
  if (standing.plan.sweep.find("population"))
    return open ? fmt::format("\nassay run {}  continues\n", standing.plan.experiment) : text;
  if (standing.counts.contains("failed"))
    text += fmt::format("assay retry --failed {}  does the failed ones again\n", folder);
  if (open)
    text += fmt::format("assay retry {}  does all that are not complete, as planned\n", folder);
  return text.empty() ? text : "\n" + text;
}

Value status_json(const Standing& standing) {
  std::vector<Value> runs;
  for (const RunStanding& run : standing.runs) {
    std::vector<Value::Entry> entries = {{"run", json_text(run.run)},
                                         {"status", json_text(run.status)}};
    if (run.record) {
      entries.emplace_back("steps", json_integer(run.record->steps));
      entries.emplace_back("seconds", json_number(run.record->seconds));
      if (!run.record->message.empty())
        entries.emplace_back("message", json_text(run.record->message));
    }
    runs.push_back(Value::map(std::move(entries), {}));
  }
  std::vector<Value::Entry> counts;
  for (const auto& [status, count] : standing.counts)
    counts.emplace_back(status, json_integer(static_cast<std::int64_t>(count)));
  return Value::map({{"name", json_text(standing.plan.name)},
                     {"experiment", json_text(standing.plan.experiment)},
                     {"counts", Value::map(std::move(counts), {})},
                     {"runs", Value::list(std::move(runs), {})}},
                    {});
}

ExitCode execute_status(const Arguments& arguments) {
  const std::string folder = folder_of("status", arguments);
  const Standing standing(folder);
  for (const std::string& problem : standing.files.problems) write_err(problem + "\n");
  if (arguments.has("json")) {
    write_out(write_json(status_json(standing)));
  } else {
    const Terminal terminal = Terminal::of(stdout);
    write_out(counts_text(standing, terminal) + open_runs_text(standing, terminal) +
              next_text(standing, folder));
  }
  return standing.files.problems.empty() ? ExitCode::done : ExitCode::data;
}

ExitCode execute_retry(const Arguments& arguments) {
  ExperimentRequest request;
  request.frozen = folder_of("retry", arguments);
  request.again = arguments.has("failed") ? ExperimentRequest::Again::failed
                                          : ExperimentRequest::Again::unfinished;
  request.plugins = plugin_folders(arguments);
  request.threads = arguments.count("threads", 0);
  request.jobs = arguments.count("jobs", 0);
  request.memory = read_memory(arguments);
  request.inexact = arguments.has("inexact");
  ExperimentResult result =
      reported([&](Reporter& reporter) { return run_experiment(request, reporter); },
               progress_is_json(arguments));
  if (result.runs.empty()) {
    write_out(fmt::format("{}: nothing to do: {}\n", request.frozen.string(),
                          arguments.has("failed") ? "no run has failed" : "every run is complete"));
    return result.code;
  }
  write_out(comparison_text(loaded_runs(std::move(result.runs)), Terminal::of(stdout)));
  return result.code;
}

}  // namespace

Verb status_verb() {
  Verb verb;
  verb.name = "status";
  verb.synopsis = "DIR [--json]";
  verb.summary = "How far the sweep in a folder is.";
  verb.details =
      "The plan of a sweep stands in its folder, as plan.yaml, before its first run starts. Says "
      "how many of its runs are done, failed, pruned, running, stopped (the same command continues "
      "them) and waiting, and of which why.";
  verb.options = {{"json", 0, "", "For programs: every run, one object."}};
  verb.examples = {"assay status results/lr"};
  verb.complete = complete_results;
  verb.execute = execute_status;
  return verb;
}

Verb retry_verb() {
  Verb verb;
  verb.name = "retry";
  verb.synopsis = "DIR [--failed] [options]";
  verb.summary = "Do the failed and unfinished runs of a sweep, as planned.";
  verb.details =
      "Runs what the plan.yaml of the folder says, whatever the experiment's files say by now. "
      "`assay run` leaves failed runs of a sweep as they are; this does them again.";
  verb.options = machine_options();
  verb.options.push_back(progress_option());
  verb.options.push_back({"failed", 0, "", "Only those that failed."});
  verb.options.push_back(
      {"inexact", 0, "", "Continue also where program, CPU class, plugins or data are others."});
  verb.examples = {"assay retry --failed results/lr", "assay retry results/lr --jobs 2"};
  verb.complete = complete_results;
  verb.execute = execute_retry;
  return verb;
}

}  // namespace assay
