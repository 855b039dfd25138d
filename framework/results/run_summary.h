// The end of a result file: what lists of many runs need, so that `ls` reads a few kilobytes of
// each and not the whole.
//
//   HDF5 data | summary | SHA-256 of the summary (32) | trailer
//
// A pack has a summary of each of its runs, its size (8 bytes) before it.
// A summary is a record without samples, origins, trajectories and checkpoints whose series keep
// four points at most: the first, the lowest, the highest and the last. first, last, min, max,
// step_of_min and step_of_max are therefore exact, other measures need the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "results/record.h"

namespace assay {

/// The points of a series that a summary keeps.
ASSAY_API Series outline(const Series& series);

/// What stands between the HDF5 data and the trailer.
std::string summary_block(const RunRecord& record);
std::string summary_block_of_pack(std::span<const RunRecord> runs);
/// What such a block says. Throws Error(data) if it is damaged.
std::vector<RunRecord> summaries_in(const std::string& file, std::string_view block,
                                    std::int64_t layout);

/// The summary of each run of a file, or of the one that path names; of a file without one (layout
/// 1), all of it. Summaries are checked, the HDF5 data is not. Throws as read_run.
ASSAY_API std::vector<RunRecord> read_summaries(const std::filesystem::path& path);

/// The layout that the end of a file states; 0 if it is not that of a result file.
std::int64_t layout_of_file(const std::filesystem::path& file);

/// Whether summaries know this measure of a series.
ASSAY_API bool in_summary(std::string_view measure);

}  // namespace assay
