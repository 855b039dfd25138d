#include "results/recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "io/lock_file.h"
#include "io/read_file.h"
#include "results/counted.h"
#include "results/digest.h"
#include "results/journal.h"
#include "results/live_files.h"
#include "results/open_pack.h"
#include "results/pack.h"
#include "results/run_file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// A run file as it is, without what stands beside it; empty if it is not whole.
std::vector<RunRecord> whole_runs(const fs::path& file, const std::string& bytes) {
  try {
    return runs_in(file, bytes);
  } catch (const Error&) {
    return {};
  }
}

// Rows of the journal behind those that the run has.
void add_journal(const fs::path& file, RunRecord& run, Recovery& recovery) {
  const std::string bytes = read_file(journal_of(file));
  const JournalContent content = parse_journal(journal_of(file).string(), bytes, Damage::cut);
  if (content.torn > 0)
    recovery.lost.push_back(fmt::format("{} of the journal, from byte {} on",
                                        counted(content.torn, "byte"),
                                        bytes.size() - content.torn));
  if (content.records == 0) return;
  if (!run.id.empty() && run.id != content.id) {
    recovery.lost.push_back("the journal: it is of another run");
    return;
  }
  run.id = content.id;
  const std::size_t added = add_rows(run, content);
  recovery.rescued.push_back(
      fmt::format("{} of the journal, up to step {}", counted(added, "row"), content.steps));
}

// The newest that is whole is the one to continue from; the best where that one says so.
void add_checkpoints(const fs::path& file, RunRecord& run, Recovery& recovery) {
  const auto found = checkpoints_of(file);
  std::map<std::int64_t, Checkpoint> whole;
  for (const auto& [step, path] : found) {
    try {
      FoundCheckpoint one = read_checkpoint(path);
      if (run.id.empty()) run.id = one.id;
      if (one.id != run.id) {
        recovery.lost.push_back(
            fmt::format("the checkpoint of step {}: it is of another run", step));
        continue;
      }
      whole[step] = std::move(one.checkpoint);
      recovery.rescued.push_back(fmt::format("the checkpoint of step {}", step));
    } catch (const Error& error) {
      recovery.lost.push_back(fmt::format("the checkpoint of step {}: {}", step, error.what()));
    }
  }
  if (whole.empty()) return;
  const std::int64_t last = whole.rbegin()->first;
  if (const auto best = whole.find(best_of(whole.at(last))); best != whole.end())
    run.checkpoints["best"] = best->second;
  run.checkpoints["final"] = std::move(whole.at(last));
  run.steps = std::max(run.steps, last);
}

// A checkpoint knows how many rows stood before it. Where fewer are left, it must not wait for the
// others.
void forget_lost_rows(RunRecord& run, Recovery& recovery) {
  for (auto& [name, checkpoint] : run.checkpoints)
    for (auto& [counter, array] : checkpoint.counters) {
      if (!counter.starts_with(kRowCounter)) continue;
      auto* known = std::get_if<std::vector<std::int64_t>>(&array.data);
      const auto metric = run.metrics.find(counter.substr(kRowCounter.size()));
      const auto rows =
          static_cast<std::int64_t>(metric == run.metrics.end() ? 0 : metric->second.steps.size());
      if (!known || known->size() != 1 || known->front() <= rows) continue;
      if (name == "final")
        recovery.lost.push_back(
            fmt::format("{} of {} before the checkpoint of step {}",
                        counted(static_cast<std::size_t>(known->front() - rows), "row"),
                        counter.substr(kRowCounter.size()), checkpoint.step));
      known->front() = rows;
    }
}

void describe(const RunRecord& run, const std::string& who, std::vector<std::string>& rescued) {
  std::vector<std::string> parts;
  const auto part = [&](bool there, const char* name) {
    if (there) parts.emplace_back(name);
  };
  part(!run.config.empty(), "configuration");
  part(!run.plugins.empty(), "plugins");
  part(!run.environment.empty(), "environment");
  part(!run.data.empty(), "data");
  part(!run.tokenizer.empty(), "tokenizer");
  part(!run.samples.empty(), "samples");
  part(!run.tables.empty(), "tables");
  part(!run.arrays.empty(), "arrays");
  if (!parts.empty()) rescued.push_back(who + join(parts));
  std::size_t rows = 0;
  for (const auto& [metric, series] : run.metrics) rows += series.steps.size();
  if (rows > 0)
    rescued.push_back(
        who + fmt::format("{} of {}", counted(rows, "row"), counted(run.metrics.size(), "metric")));
  for (const auto& [name, checkpoint] : run.checkpoints) {
    std::string line = who + fmt::format("checkpoint {} (step {}", name, checkpoint.step);
    const State& weights = checkpoint.weights.empty() ? checkpoint.model : checkpoint.weights;
    if (name == "final" && run.digest == digest(weights)) line += ", weights as their digest says";
    rescued.push_back(line + ")");
  }
}

// A run of which anything is lost is none that ended.
void stop(RunRecord& run, const fs::path& file, const std::vector<std::string>& lost) {
  if (lost.empty() && run.status != RunStatus::running) return;
  run.status = RunStatus::stopped;
  run.message = fmt::format("recovered after {} steps from a damaged file; {}", run.steps,
                            lost.empty() ? "nothing is lost" : "lost: " + join(lost));
  run.history.emplace_back(fmt::to_string(run.steps),
                           fmt::format("recovered from {}; lost: {}", file.string(),
                                       lost.empty() ? "nothing" : join(lost)));
}

void recover_open_pack(const fs::path& file, Recovery& recovery) {
  const std::string journal = journal_of(file).string();
  OpenPackContent content = parse_pack_journal(journal, read_file(journal));
  recovery.pack = true;
  recovery.sound = content.damage.empty();
  recovery.runs = std::move(content.runs);
  recovery.rescued.push_back(fmt::format("{}, whole", counted(recovery.runs.size(), "run")));
  recovery.lost = std::move(content.damage);
}

void salvage_file(const fs::path& file, const std::string& bytes, const Helper& helper,
                  Recovery& recovery) {
  Salvage found = salvage(file.string(), bytes, helper);
  recovery.pack = found.pack;
  recovery.runs = std::move(found.runs);
  const std::string start = file.string() + ": ";
  for (auto& [path, why] : found.lost) {
    if (why.starts_with(start)) why.erase(0, start.size());
    // The dataset that the reader names may stand below the path: samples/bytes.
    if (why.starts_with(path)) why.erase(0, why.find(": ", path.size()) + 2);
    recovery.lost.push_back(fmt::format("{}: {}", path, why));
  }
}

// Whether there is anything of a run but its name and figures of the summary.
bool is_there(const RunRecord& run) {
  return !run.config.empty() || !run.metrics.empty() || !run.checkpoints.empty();
}

void finish_pack(const fs::path& file, Recovery& recovery) {
  std::vector<RunRecord> there;
  for (RunRecord& run : recovery.runs) {
    const std::string place = place_in_pack(run.run);
    std::vector<std::string> own;
    for (const std::string& line : recovery.lost)
      if (line.starts_with(place)) own.push_back(line);
    if (!is_there(run)) {  // in one line
      std::erase_if(recovery.lost,
                    [&](const std::string& line) { return line.starts_with(place); });
      recovery.lost.push_back(run.run + ": all of it");
      continue;
    }
    if (!own.empty()) {
      describe(run, run.run + ": ", recovery.rescued);
      stop(run, file, own);
    }
    there.push_back(std::move(run));
  }
  recovery.runs = std::move(there);
  if (!recovery.runs.empty()) recovery.rescued.push_back(counted(recovery.runs.size(), "run"));
}

}  // namespace

Recovery recover(const fs::path& file, const Helper& helper) {
  if (LockFile::is_held(lock_of(file)))
    throw Error(ExitCode::data,
                fmt::format("{}: is being written by another process; wait for it, or stop it",
                            file.string()));
  Recovery recovery;
  if (is_open_pack(file)) {
    recover_open_pack(file, recovery);
    return recovery;
  }
  std::error_code error;
  const bool has_journal = fs::exists(journal_of(file), error);
  const bool has_checkpoints = !checkpoints_of(file).empty();
  const bool exists = fs::exists(file, error);
  if (!exists && !has_journal && !has_checkpoints) read_file(file);  // says that it is not there
  const std::string bytes = exists ? read_file(file) : "";
  recovery.runs = whole_runs(file, bytes);
  const bool whole = !recovery.runs.empty();
  if (!exists)
    recovery.lost.push_back("the file itself: there is none");
  else if (bytes.empty())
    recovery.lost.push_back("the file itself: it is empty");
  else if (!whole)
    salvage_file(file, bytes, helper, recovery);
  if (whole) recovery.pack = is_pack(bytes);
  if (recovery.pack) {
    recovery.sound = whole;
    finish_pack(file, recovery);
    return recovery;
  }
  const bool over = whole && recovery.runs.front().status != RunStatus::running;
  if (!over && recovery.runs.empty() && (has_journal || has_checkpoints)) recovery.runs.resize(1);
  if (recovery.runs.empty()) return recovery;
  RunRecord& run = recovery.runs.front();
  if (!over && has_journal) add_journal(file, run, recovery);
  if (!over && has_checkpoints) add_checkpoints(file, run, recovery);
  forget_lost_rows(run, recovery);
  recovery.sound = whole && recovery.lost.empty();
  describe(run, "", recovery.rescued);
  stop(run, file, recovery.lost);
  return recovery;
}

void write_recovery(const fs::path& file, const Recovery& recovery) {
  if (recovery.pack)
    write_pack(file, recovery.runs, IfExists::refuse);
  else
    write_run(file, recovery.runs.front(), IfExists::refuse);
}

}  // namespace assay
