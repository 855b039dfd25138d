#include "results/run_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/atomic_file.h"
#include "io/lock_file.h"
#include "io/read_file.h"
#include "results/journal.h"
#include "results/live_files.h"
#include "results/loading.h"
#include "results/run_summary.h"
#include "results/saving.h"
#include "results/trailer.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr int kMostAttempts = 100;  // to read files that a writer replaces meanwhile

/// Changes whenever another file is put in this place.
std::pair<ino_t, std::int64_t> version_of(const fs::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return {0, 0};
  return {found.st_ino, found.st_mtim.tv_sec * 1000000000 + found.st_mtim.tv_nsec};
}

void add_rows(RunRecord& record, const JournalContent& journal) {
  for (const auto& [metric, rows] : journal.metrics) {
    Series& series = record.metrics[metric];
    for (std::size_t i = 0; i < rows.steps.size(); ++i) {
      // A kill between a new snapshot and the new journal leaves rows that are in both.
      if (!series.steps.empty() && rows.steps[i] <= series.steps.back()) continue;
      series.steps.push_back(rows.steps[i]);
      series.values.push_back(rows.values[i]);
    }
  }
  record.steps = std::max(record.steps, journal.steps);
  record.seconds = std::max(record.seconds, journal.seconds);
}

/// Reads the newest checkpoint that is whole: an older one serves if it is not.
void add_checkpoints(const fs::path& file, RunRecord& record) {
  const auto found = checkpoints_of(file);
  for (auto at = found.rbegin(); at != found.rend(); ++at) {
    try {
      Checkpoint last = read_checkpoint(at->second, record.id);
      StateIo counters = StateIo::restoring(last.counters);
      std::int64_t best = -1;
      counters.integer("best", best);
      if (best >= 0 && best != last.step && found.contains(best))
        record.checkpoints["best"] = read_checkpoint(found.at(best), record.id);
      record.checkpoints["final"] = std::move(last);
      return;
    } catch (const Error&) {
      record.checkpoints.clear();
      if (std::next(at) == found.rend()) throw;
    }
  }
}

/// Whether the record has every row that the checkpoint knows.
bool has_rows_of(const Checkpoint& checkpoint, const RunRecord& record) {
  constexpr std::string_view kRows = "rows/";
  for (const auto& [name, array] : checkpoint.counters) {
    if (!name.starts_with(kRows)) continue;
    const auto* known = std::get_if<std::vector<std::int64_t>>(&array.data);
    const auto series = record.metrics.find(name.substr(kRows.size()));
    const std::size_t rows = series == record.metrics.end() ? 0 : series->second.steps.size();
    if (!known || known->size() != 1 || known->front() > static_cast<std::int64_t>(rows))
      return false;
  }
  return true;
}

// Rows behind the last checkpoint may be lost to a power cut (they are computed again); with any
// row before it the run would have a gap that nothing fills.
void accept_damage(const fs::path& file, RunRecord& record, const JournalContent& journal,
                   const std::string& bytes) {
  RunRecord kept;
  kept.id = record.id;
  add_checkpoints(file, kept);
  const auto last = kept.checkpoints.find("final");
  if (last == kept.checkpoints.end() || !has_rows_of(last->second, record))
    parse_journal(journal_of(file).string(), bytes);  // refuses it
  record.history.emplace_back(
      std::to_string(record.steps),
      fmt::format("{}; the rows from there on are lost, and computed again from step {}",
                  journal.damage, last->second.step));
}

RunRecord read_once(const fs::path& file, bool with_checkpoints) {
  const std::string bytes = read_file(file);
  Loading loading(file.string(), bytes, with_checkpoints);
  RunRecord record;
  run_layout(loading, record);
  return record;
}

// What a snapshot says is completed by what stands beside it.
void add_live_files(const fs::path& file, RunRecord& record, bool with_checkpoints) {
  const fs::path journal = journal_of(file);
  if (fs::exists(journal)) {
    const std::string bytes = read_file(journal);
    const JournalContent content = parse_journal(journal.string(), bytes, Damage::cut);
    if (content.records > 0 && content.id != record.id)
      throw Error(ExitCode::data, fmt::format("{}: is the journal of another run than {}",
                                              journal.string(), file.string()));
    add_rows(record, content);
    if (!content.damage.empty()) accept_damage(file, record, content, bytes);
  }
  if (with_checkpoints) add_checkpoints(file, record);
  if (LockFile::is_held(lock_of(file))) {
    record.message = "is being written";
    return;
  }
  record.status = RunStatus::stopped;
  record.message = fmt::format("was killed after {} steps; `assay resume` continues", record.steps);
}

}  // namespace

void publish_image(const fs::path& file, const Image& image, std::string_view summary) {
  const std::string end = trailer(image.bytes(), kLayout, summary);
  AtomicFile to(file, image.bytes().size() + summary.size() + end.size());
  for (const std::string_view part : {image.bytes(), summary, std::string_view(end)})
    to.append(std::as_bytes(std::span(part)));
  to.publish();
}

void write_run(const fs::path& file, const RunRecord& record) {
  Saving saving;
  run_layout(saving, record);
  publish_image(file, saving.finish(), summary_block(record));
}

RunRecord read_run(const fs::path& file, bool with_checkpoints) {
  for (int attempt = 1;; ++attempt) {
    const auto before = version_of(file);
    RunRecord record = read_once(file, with_checkpoints);
    if (record.status != RunStatus::running) return record;
    try {
      add_live_files(file, record, with_checkpoints);
    } catch (const Error&) {
      if (version_of(file) == before || attempt == kMostAttempts) throw;
      continue;
    }
    if (version_of(file) == before || attempt == kMostAttempts) return record;
  }
}

void check_writable(const fs::path& file) {
  check_can_write(file);
}

}  // namespace assay
