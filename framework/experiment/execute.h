// Running one planned run and writing its file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/api.h"
#include "experiment/plan.h"
#include "experiment/reporter.h"
#include "results/open_pack.h"

namespace assay {

struct EarlierOptions {
  bool force = false;  // replace whatever is there
  Resume resume = Resume::automatic;
  bool other_config = false;  // the file's run may have another configuration, or have failed
  bool refuse_complete = false;
  bool keep_failed = false;  // a failed run is not to be done again
};
struct ExecuteOptions : EarlierOptions {
  int threads = 1;
  bool inexact = false;
  std::optional<std::int64_t> until;  // completed steps after which it waits; else to its end
  bool goes_on = false;         // it waited, and that it continues is nothing to tell or to record
  std::string remark;           // what its history says of its beginning, if anything
  std::string change;           // of the run's settings, for its history, when it is continued
  PackWriter* packs = nullptr;  // takes the run if it is done; null: it has a file of its own
};

struct Executed {
  RunRecord record;  // without checkpoints
  std::string file;  // where it is: "seed=1.h5" or "pack-0001.h5::seed=1"
};

/// Throws Error(usage) if the file holds another run, Error(data) if it is damaged.
ASSAY_API Earlier find_earlier(const PlannedRun& run, const EarlierOptions& options);

/// Trains (or continues) under the run's lock and writes the file, whatever happens: a run that
/// fails is recorded with its message. Throws if the file cannot be written, or the run not be
/// continued to the same bits.
ASSAY_API Executed execute(const PlannedRun& run, const ExecuteOptions& options,
                           Reporter& reporter);

/// Says in a stopped run's file that its sweep gave it up. Nobody else may be writing it.
void record_pruned(const std::filesystem::path& file, const std::string& why);

/// Of a run whose process ended before it could say why: its file, with what it had reached, says
/// that it failed and how. The result has no checkpoints.
RunRecord record_crash(const PlannedRun& run, const ExecuteOptions& options,
                       const std::string& message);

/// Puts a run that is done, and has a file of its own, into a pack.
Executed pack(const PlannedRun& run, PackWriter& packs);

}  // namespace assay
