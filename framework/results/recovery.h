// Saving what can be saved of a run whose files are damaged, cut short or half written.
//
//   const Recovery found = recover("run.h5", helper);
//   if (!found.sound && !found.runs.empty()) write_recovery("run.recovered.h5", found);
//
// Taken together: the file, as far as it can be read (salvage.h); the rows of its journal up to the
// first bad record; the checkpoints beside it. What comes of it is a run that was stopped: it can
// be shown, compared, and continued from the checkpoint it has. The files themselves are only read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/api.h"
#include "results/record.h"
#include "results/salvage.h"

namespace assay {

struct Recovery {
  bool sound = false;  // nothing is damaged, and there is nothing to do
  bool pack = false;
  std::vector<RunRecord> runs;
  std::vector<std::string> rescued, lost;  // one line each
};

/// Throws Error(data) where neither the file nor anything beside it is there, or another process
/// writes it.
ASSAY_API Recovery recover(const std::filesystem::path& file, const Helper& helper);

/// Throws Error(data) if the file exists.
ASSAY_API void write_recovery(const std::filesystem::path& file, const Recovery& recovery);

}  // namespace assay
