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
#include "results/open_pack.h"
#include "results/pack.h"
#include "results/run_path.h"
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

/// Reads the newest checkpoint that is whole: an older one serves if it is not.
void add_checkpoints(const fs::path& file, RunRecord& record) {
  const auto found = checkpoints_of(file);
  for (auto at = found.rbegin(); at != found.rend(); ++at) {
    try {
      Checkpoint last = read_checkpoint(at->second, record.id);
      const std::int64_t best = best_of(last);
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
  for (const auto& [name, array] : checkpoint.counters) {
    if (!name.starts_with(kRowCounter)) continue;
    const auto* known = std::get_if<std::vector<std::int64_t>>(&array.data);
    const auto series = record.metrics.find(name.substr(kRowCounter.size()));
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

std::vector<RunRecord> read_once(const RunPath& at, bool with_checkpoints) {
  if (is_open_pack(at.file)) {
    std::vector<RunRecord> runs = read_open_pack(at.file, with_checkpoints);
    if (at.run.empty()) return runs;
    return {the_run(at, std::move(runs))};
  }
  return runs_in(at.file, read_file(at.file), with_checkpoints, at.run);
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

void publish_image(const fs::path& file, const Image& image, std::string_view summary,
                   std::int64_t layout, IfExists if_exists) {
  const std::string end = trailer(image.bytes(), layout, summary);
  AtomicFile to(file, image.bytes().size() + summary.size() + end.size(), if_exists);
  for (const std::string_view part : {image.bytes(), summary, std::string_view(end)})
    to.append(std::as_bytes(std::span(part)));
  to.publish();
}

void write_run(const fs::path& file, const RunRecord& record, IfExists if_exists) {
  Saving saving;
  saving.save("", [&](auto& io) { run_layout(io, record); });
  publish_image(file, saving.finish(), summary_block(record), kLayout, if_exists);
}

std::vector<RunRecord> runs_in(const fs::path& file, std::string_view bytes, bool with_checkpoints,
                               const std::string& only) {
  if (is_pack(bytes)) return runs_of_pack(file.string(), bytes, with_checkpoints, only);
  Loading loading(file.string(), bytes, with_checkpoints);
  std::vector<RunRecord> runs(1);
  run_layout(loading, runs.front());
  if (!only.empty() && runs.front().run != only)
    refuse_run(file.string(), only, {runs.front().run});
  return runs;
}

std::vector<RunRecord> read_runs(const fs::path& path, bool with_checkpoints) {
  const RunPath at = split_run_path(path);
  for (int attempt = 1;; ++attempt) {
    const auto before = version_of(at.file);
    const auto undisturbed = [&] {
      return version_of(at.file) == before || attempt == kMostAttempts;
    };
    try {
      std::vector<RunRecord> runs = read_once(at, with_checkpoints);
      if (runs.size() != 1 || runs.front().status != RunStatus::running) return runs;
      add_live_files(at.file, runs.front(), with_checkpoints);
      if (undisturbed()) return runs;
    } catch (const Error&) {
      if (undisturbed()) throw;
    }
  }
}

RunRecord the_run(const RunPath& at, std::vector<RunRecord> runs) {
  std::vector<std::string> names;
  for (RunRecord& run : runs) {
    if (run.run == at.run || (at.run.empty() && runs.size() == 1)) return std::move(run);
    names.push_back(run.run);
  }
  refuse_run(at.file.string(), at.run, names);
}

bool result_exists(const fs::path& path) {
  const fs::path file = split_run_path(path).file;
  std::error_code error;
  return fs::exists(file, error) || is_open_pack(file);
}

RunRecord read_run(const fs::path& path, bool with_checkpoints) {
  return the_run(split_run_path(path), read_runs(path, with_checkpoints));
}

void check_writable(const fs::path& file) {
  check_can_write(file);
}

}  // namespace assay
