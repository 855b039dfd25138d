// Removing result files so that they can come back.
//
//   discard("results/gpt/seed=1.h5");    // -> results/gpt/.trash/20261130T061500.123Z/seed=1.h5
//   restore("results/gpt/seed=1.h5");
//
// The trash stands beside the file, so that moving is a rename; what belongs to a run that has not
// ended (journal, checkpoints) goes and comes with it. Errors: Error(data), also
// where another process writes the run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/api.h"

namespace assay {

/// Where it went.
ASSAY_API std::filesystem::path discard(const std::filesystem::path& file);
/// A new place in the trash for a file of this name, which is not there yet.
std::filesystem::path new_trash_file(const std::filesystem::path& file);
/// The copy that was discarded last. Refused if a file has that name again.
ASSAY_API void restore(const std::filesystem::path& file);

struct Discarded {
  std::string file;  // what restore takes
  std::string when;  // UTC, ISO 8601 in its basic form
};
/// In the folder and below, the last first.
ASSAY_API std::vector<Discarded> discarded(const std::filesystem::path& folder);
/// Deletes for good; returns how many entries.
ASSAY_API std::size_t empty_trash(const std::filesystem::path& folder);

}  // namespace assay
