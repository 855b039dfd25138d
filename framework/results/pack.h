// Several finished runs in one file: thousands of tiny runs need not be thousands of files.
//
//   write_pack("results/gpt/pack-0001.h5", runs, IfExists::refuse);
//   for (const RunRecord& run : runs_of_pack("pack-0001.h5", bytes, true)) ...
//
// Below runs/<run> each stands as in a file of its own, index and all; the index at the top names
// them; the summary has one for each. Put in place whole, with the trailer of layout kPackLayout.
// Errors: Error(data) naming the file, and the dataset where one is to blame.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "io/atomic_file.h"
#include "results/record.h"

namespace assay {

/// REQUIRES that no two of them have the same name (RunRecord::run).
ASSAY_API void write_pack(const std::filesystem::path& file, std::span<const RunRecord> runs,
                          IfExists if_exists = IfExists::replace);

/// Where a run stands in the image of a pack: "runs/seed=1/".
std::string place_in_pack(const std::string& run);
inline constexpr const char* kRuns = "runs";

/// Whether the bytes of a file end as a pack does.
bool is_pack(std::string_view sealed);
/// The same of a file, which may be an open pack (open_pack.h).
ASSAY_API bool is_pack_file(const std::filesystem::path& file);
/// All of them in the order in which they were packed, or only the one of this name.
std::vector<RunRecord> runs_of_pack(const std::string& file, std::string_view sealed,
                                    bool with_checkpoints, const std::string& only = {});

/// Throws Error(data): a pack of these runs has none of this name, or no name was given.
[[noreturn]] void refuse_run(const std::string& file, const std::string& run,
                             const std::vector<std::string>& names);

}  // namespace assay
