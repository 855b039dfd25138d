// The end of a result file: what lists of many runs need, so that `ls` reads a few kilobytes of
// each and not the whole.
//
//   HDF5 data | summary | SHA-256 of the summary (32) | trailer
//
// A summary is a record without samples, origins and checkpoints whose series keep four points at
// most: the first, the lowest, the highest and the last. first, last, min, max, step_of_min and
// step_of_max are therefore exact, other measures need the file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/api.h"
#include "results/record.h"

namespace assay {

/// The points of a series that a summary keeps.
ASSAY_API Series outline(const Series& series);

/// What stands between the HDF5 data and the trailer.
std::string summary_block(const RunRecord& record);

/// Reads the summary; of a file without one (layout 1), the whole file. The summary is checked, the
/// HDF5 data is not. Throws as read_run.
ASSAY_API RunRecord read_summary(const std::filesystem::path& file);

/// Whether summaries know this measure of a series.
ASSAY_API bool in_summary(std::string_view measure);

}  // namespace assay
