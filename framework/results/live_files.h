// The files of a run that is not over: <run>.journal, <run>.lock and <run>.ckpt-<step>.h5 beside
// its <run>.h5.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/api.h"
#include "results/record.h"

namespace assay {

std::filesystem::path journal_of(const std::filesystem::path& file);
/// The result file that a journal of this name belongs to.
std::filesystem::path result_of(const std::filesystem::path& journal);
ASSAY_API std::filesystem::path lock_of(const std::filesystem::path& file);
std::filesystem::path checkpoint_of(const std::filesystem::path& file, std::int64_t step);

/// Whether a file of this name is a checkpoint of a run beside it, and no run of its own.
bool is_checkpoint_name(std::string_view name);
/// The checkpoint files of a run that exist, by step.
std::map<std::int64_t, std::filesystem::path> checkpoints_of(const std::filesystem::path& file);

/// A checkpoint in a file of its own, with the id of its run.
void write_checkpoint(const std::filesystem::path& file, const std::string& id,
                      const Checkpoint& checkpoint);
/// Throws Error(data) if it is damaged, or of a run of another id.
Checkpoint read_checkpoint(const std::filesystem::path& file, const std::string& id);
/// Of whatever run it is.
struct FoundCheckpoint {
  std::string id;
  Checkpoint checkpoint;
};
FoundCheckpoint read_checkpoint(const std::filesystem::path& file);

/// The step of the best checkpoint, as a later one knows it; -1 if there was none.
std::int64_t best_of(const Checkpoint& checkpoint);
/// Counters of a checkpoint by this and the metric: how many rows the run had then.
inline constexpr std::string_view kRowCounter = "rows/";

/// Removes all but <run>.h5 and the lock.
ASSAY_API void remove_live_files(const std::filesystem::path& file);

/// The same beside a complete file, where a kill came between its writing and that: under the lock,
/// and nothing if somebody holds it.
ASSAY_API void remove_leftovers_of(const std::filesystem::path& file);

/// Removes the files of a run that stands in a pack. REQUIRES the lock of the run.
ASSAY_API void remove_run_files(const std::filesystem::path& file);

}  // namespace assay
