// Taking runs out of packs. What is taken out is somewhere else before: a kill between leaves it in
// both, never in none.
//
// Threads: one for each pack; a lock keeps other processes out. Errors: Error(data).
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/api.h"

namespace assay {

/// Writes the pack anew without these runs; removes it if none is left.
ASSAY_API void remove_from_pack(const std::filesystem::path& pack,
                                const std::set<std::string>& runs);

/// Gives the run that path names a file of its own beside the pack, from which it can be continued;
/// a path of a file of one run is that file.
ASSAY_API std::filesystem::path taken_out(const std::filesystem::path& path);

/// Writes each run of a file, or the one that path names, into a file of its own in the folder, and
/// gives their names. Throws before the first if one exists.
ASSAY_API std::vector<std::filesystem::path> unpack(const std::filesystem::path& path,
                                                    const std::filesystem::path& folder);

/// Moves these runs of a pack to the trash, as files of their own.
ASSAY_API void discard_from_pack(const std::filesystem::path& pack,
                                 const std::set<std::string>& runs);

}  // namespace assay
