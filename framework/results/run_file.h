// One HDF5 file per run, published whole: built in memory, written to a temporary in the same
// folder, synced, renamed. Layout: results/README.md. HDF5 is never called on a file that exists
// under its final name.
//
// Threads: any; HDF5 calls take one lock. Errors: Error(data) naming the file, and the dataset
// where one is to blame.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "io/atomic_file.h"
#include "results/record.h"

namespace assay {

/// Replaces file atomically, creating its folder. On failure the old file is as it was and the
/// temporary is gone.
ASSAY_API void write_run(const std::filesystem::path& file, const RunRecord& record,
                         IfExists if_exists = IfExists::replace);
class Image;
/// Puts an image with its trailer in place, in the same way.
void publish_image(const std::filesystem::path& file, const Image& image, std::string_view summary,
                   std::int64_t layout, IfExists if_exists = IfExists::replace);

/// path: of a file of one run, or of one run in a pack (run_path.h).
/// Of a run that is not over: its snapshot, completed by the journal and the checkpoints beside it;
/// the status is running if somebody holds its lock, else stopped. Checks the trailer's SHA-256
/// before HDF5 sees a byte. with_checkpoints = false leaves those out (faster).
ASSAY_API RunRecord read_run(const std::filesystem::path& path, bool with_checkpoints = true);
/// Whether there is such a file, whatever is in it.
ASSAY_API bool result_exists(const std::filesystem::path& path);
/// All of a file: one, or those of a pack; or the one that the path names.
ASSAY_API std::vector<RunRecord> read_runs(const std::filesystem::path& path,
                                           bool with_checkpoints = true);
/// The same of the bytes of a file, without what stands beside it.
std::vector<RunRecord> runs_in(const std::filesystem::path& file, std::string_view bytes,
                               bool with_checkpoints = true, const std::string& only = {});
struct RunPath;
/// The run that a path names out of those of its file. Throws Error(data) if it is not there, or
/// none is named and there are several.
RunRecord the_run(const RunPath& at, std::vector<RunRecord> runs);
/// Throws Error(data) now, not after an hour of training, if write_run could not write there.
ASSAY_API void check_writable(const std::filesystem::path& file);

}  // namespace assay
