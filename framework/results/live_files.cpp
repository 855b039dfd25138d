#include "results/live_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"
#include "io/lock_file.h"
#include "io/read_file.h"
#include "results/loading.h"
#include "results/run_file.h"
#include "results/saving.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckpoint = "checkpoint";

constexpr std::string_view kMark = ".ckpt-", kEnding = ".h5";

/// The step in "seed=1.ckpt-40.h5"; none if the name is not that of a checkpoint.
std::optional<std::int64_t> step_of(std::string_view name) {
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string_view::npos || !name.ends_with(kEnding)) return std::nullopt;
  name.remove_suffix(kEnding.size());
  const std::string_view digits = name.substr(std::min(mark + kMark.size(), name.size()));
  std::int64_t step = 0;
  const auto [rest, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  const bool whole = wrong == std::errc() && rest == digits.data() + digits.size() && step >= 0;
  return whole ? std::optional(step) : std::nullopt;
}

/// "seed=1" for seed=1.h5; any other name as it is.
fs::path beside(const fs::path& file, const std::string& ending) {
  const fs::path stem = file.extension() == ".h5" ? file.stem() : file.filename();
  return file.parent_path() / (stem.string() + ending);
}

}  // namespace

fs::path journal_of(const fs::path& file) {
  return beside(file, ".journal");
}

fs::path result_of(const fs::path& journal) {
  return journal.parent_path() / (journal.stem().string() + std::string(kEnding));
}

fs::path lock_of(const fs::path& file) {
  return beside(file, ".lock");
}

fs::path checkpoint_of(const fs::path& file, std::int64_t step) {
  return beside(file, fmt::format("{}{}{}", kMark, step, kEnding));
}

std::map<std::int64_t, fs::path> checkpoints_of(const fs::path& file) {
  const std::string start = beside(file, std::string(kMark)).filename().string();
  std::map<std::int64_t, fs::path> found;
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const auto step = step_of(name);
    if (step && name.substr(0, name.rfind(kMark) + kMark.size()) == start)
      found[*step] = at->path();
  }
  return found;
}

bool is_checkpoint_name(std::string_view name) {
  return step_of(name).has_value();
}

void write_checkpoint(const fs::path& file, const std::string& id, const Checkpoint& checkpoint) {
  Saving saving;
  saving.save("", [&](auto& io) {
    io.text("id", id);
    checkpoint_layout(io, kCheckpoint, checkpoint);
  });
  publish_image(file, saving.finish(), {}, kLayout);
}

Checkpoint read_checkpoint(const fs::path& file, const std::string& id) {
  FoundCheckpoint found = read_checkpoint(file);
  if (found.id != id)
    throw Error(ExitCode::data, fmt::format("{}: is a checkpoint of another run", file.string()));
  return std::move(found.checkpoint);
}

FoundCheckpoint read_checkpoint(const fs::path& file) {
  const std::string bytes = read_file(file);
  Loading loading(file.string(), bytes, true);
  FoundCheckpoint found;
  loading.text("id", found.id);
  checkpoint_layout(loading, kCheckpoint, found.checkpoint);
  return found;
}

std::int64_t best_of(const Checkpoint& checkpoint) {
  std::int64_t best = -1;
  if (checkpoint.counters.contains("best"))
    StateIo::restoring(checkpoint.counters).integer("best", best);
  return best;
}

void remove_live_files(const fs::path& file) {
  // The journal last: with a checkpoint there must be the rows that it knows, and where one cannot
  // be removed it says that there is something left.
  std::error_code error;
  for (const auto& [step, checkpoint] : checkpoints_of(file)) {
    fs::remove(checkpoint, error);
    if (error) return;
  }
  fs::remove(journal_of(file), error);
}

void remove_leftovers_of(const fs::path& file) {
  const fs::path lock = lock_of(file);
  // A disk that failed may have left the files without the lock; the journal goes last.
  if (!fs::exists(lock) && !fs::exists(journal_of(file))) return;
  if (LockFile::is_held(lock)) return;
  const LockFile held(lock);
  remove_live_files(file);
}

// The run first: what is left of the others after a kill is no run.
void remove_run_files(const fs::path& file) {
  std::error_code ignored;
  if (fs::remove(file, ignored)) remove_live_files(file);
}

}  // namespace assay
