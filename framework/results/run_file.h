// One HDF5 file per run, published whole: built in memory, written to a temporary in the same
// folder, synced, renamed. Layout: results/README.md. HDF5 is never called on a file that exists
// under its final name.
//
// Threads: any; HDF5 calls take one lock. Errors: Error(data) naming the file, and the dataset
// where one is to blame.
#pragma once

#include <filesystem>
#include <string>

#include "base/api.h"
#include "results/record.h"

namespace assay {

/// Replaces file atomically, creating its folder. On failure the old file is as it was and the
/// temporary is gone.
ASSAY_API void write_run(const std::filesystem::path& file, const RunRecord& record);
class Image;
/// Puts an image with its trailer in place, in the same way.
void publish_image(const std::filesystem::path& file, const Image& image,
                   std::string_view summary = {});

/// Of a run that is not over: its snapshot, completed by the journal and the checkpoints beside it;
/// the status is running if somebody holds its lock, else stopped. Checks the trailer's SHA-256
/// before HDF5 sees a byte. with_checkpoints = false leaves those out (faster).
ASSAY_API RunRecord read_run(const std::filesystem::path& file, bool with_checkpoints = true);
/// Throws Error(data) now, not after an hour of training, if write_run could not write there.
ASSAY_API void check_writable(const std::filesystem::path& file);

}  // namespace assay
