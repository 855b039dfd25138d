#include "cli/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "cli/numbers.h"
#include "cli/table.h"
#include "results/comparison.h"

namespace assay {
namespace {

const char* state_text(Earlier earlier) {
  switch (earlier) {
    case Earlier::complete:
      return "complete";
    case Earlier::unfinished:
      return "continues";
    case Earlier::failed:
      return "failed";
    case Earlier::nothing:
      break;
  }
  return "new";
}

double work_of(const RunCheck& check) {
  return check.cost.flops_per_step * static_cast<double>(check.steps);
}

// Of the values that differ, the seed first.
struct Differences {
  std::vector<LoadedRun> runs;
  std::vector<std::string> keys;

  explicit Differences(const std::vector<RunCheck>& checks) {
    std::vector<const LoadedRun*> all;
    std::set<std::string> seeds;
    for (const RunCheck& check : checks) {
      runs.push_back({check.file, 0, {}, check.config});
      seeds.insert(config_text(runs.back(), "seed"));
    }
    for (const LoadedRun& run : runs) all.push_back(&run);
    keys = differing_keys(all);
    if (seeds.size() > 1) keys.insert(keys.begin(), "seed");
  }
};

std::string totals(const std::vector<RunCheck>& checks, const ExperimentRequest& request) {
  double all = 0, runs = 0, steps = 0, least = 0, work = 0, seconds = 0, disk = 0, memory = 0;
  bool known = true, open = false;
  for (const RunCheck& check : checks) {
    const bool over = check.earlier == Earlier::complete || check.earlier == Earlier::failed;
    const double count = check.stands_for - (over ? 1 : 0);
    all += check.stands_for;
    open |= check.stands_for != 1;
    if (count <= 0) continue;
    runs += count;
    steps += count * static_cast<double>(check.steps);
    least += count * static_cast<double>(check.least_steps);
    work += count * work_of(check);
    seconds += count * check.cost.seconds;
    disk += count * check.cost.disk_bytes;
    memory = std::max(memory, check.cost.memory_bytes);
    known &= !check.probe && !check.counts;
  }
  const std::int64_t count = std::llround(all);
  std::string text = count == 1 ? "1 run" : human_count(count) + " runs";
  if (open) text += " at most, as those above";
  if (all > runs)
    text += fmt::format(", {} complete already", human_count(count - std::llround(runs)));
  if (runs == 0) return text + ": nothing to do\n";
  const int threads = request.threads > 0 ? request.threads : available_cores();
  const std::int64_t jobs =
      std::min<std::int64_t>(request.jobs > 0 ? request.jobs : threads, std::llround(runs));
  text += fmt::format(
      ": {} steps, {}, about {} with {} thread{}, up to {} of memory and {} of files",
      human_count(std::llround(steps)), work_text(work), human_duration(seconds), threads,
      threads == 1 ? "" : "s", human_bytes(memory * static_cast<double>(jobs)), human_bytes(disk));
  if (least < steps)
    text += fmt::format("; pruning may leave as few as {} of the steps",
                        human_count(std::llround(least)));
  if (!known) text += ", not counting what no step tells";
  return text + "; nothing was written\n";
}

}  // namespace

std::string dry_run_text(const std::vector<RunCheck>& checks, const ExperimentRequest& request,
                         const Terminal& terminal) {
  const Differences differences(checks);
  std::vector<Column> columns = {{"run", Align::left, Cut::back}, {"state"}};
  for (const std::string& key : differences.keys) columns.push_back({printable(key)});
  for (const char* figure : {"parameters", "steps", "work", "time", "memory", "disk"})
    columns.push_back({figure, Align::right});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const RunCheck& check = checks[i];
    const bool trains = !check.probe && !check.counts;
    std::vector<std::string> cells = {check.run, state_text(check.earlier)};
    for (const std::string& key : differences.keys)
      cells.push_back(printable(config_text(differences.runs[i], key)));
    cells.push_back(check.probe ? "-" : human_count(check.cost.parameters));
    cells.push_back(trains ? human_count(check.steps) : "-");
    cells.push_back(trains ? work_text(work_of(check)) : "-");
    cells.push_back(trains ? human_duration(check.cost.seconds) : "-");
    cells.push_back(check.probe ? "-" : human_bytes(check.cost.memory_bytes));
    cells.push_back(trains ? human_bytes(check.cost.disk_bytes) : "-");
    table.row(std::move(cells));
  }
  std::string text = table.text(terminal) + "\n";
  std::set<std::string> told;
  for (const RunCheck& check : checks)
    for (const std::string& note : check.notes)
      if (check.earlier == Earlier::nothing && told.insert(note).second)
        text += "note: " + printable(note) + "\n";
  return text + totals(checks, request);
}

}  // namespace assay
