// Reading what is left of a damaged HDF5 image, dataset by dataset: known names only, in a helper
// process, because HDF5 can crash on such a file.
//
//   const Salvage found = salvage("run.h5", bytes, helper);
//   for (const auto& [path, why] : found.lost) ...
//
// What the image does not give, the summary behind it (run_summary.h) may: texts, single numbers,
// the outlines of metrics. Threads: as the helper.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "results/record.h"

namespace assay {

/// Does work, which says what it is about to do, where a crash of it is survived.
struct HelperEnding {
  bool finished = false;
  std::string during;  // what it said last
  std::string how;     // if it did not finish: "crashes with signal 11 (Segmentation fault)"
};
using SaidFunction = std::function<void(std::string_view)>;
using Helper = std::function<HelperEnding(const std::function<void(const SaidFunction&)>& work)>;

struct Salvage {
  std::vector<RunRecord> runs;  // complete checkpoints, and "final-partial" for others
  bool pack = false;
  Facts lost;  // path, why
};
/// bytes: of a file of which nothing is known.
Salvage salvage(const std::string& file, std::string_view bytes, const Helper& helper);

}  // namespace assay
