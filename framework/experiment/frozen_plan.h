// The plan of a sweep, as it was resolved before its first run started: plan.yaml in its folder.
//
//   # header: name, experiment, arguments
//   name: lr
//   experiment: /home/me/lr.yaml
//   arguments: [optimizer.learning_rate=1e-3,3e-3]
//   ---
//   run: learning_rate=1e-3_seed=1_1f3a9c04        # one document for each run
//   hash: 1f3a9c04...
//   config: {...}                                  # resolved, with what is expected of it
//
// A stream of YAML documents, so that any YAML reader can list the runs. What the experiment's
// files say later changes nothing in it: `assay retry` runs what stands here, and `assay run` says
// how the experiment differs before it replaces the plan.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/api.h"
#include "config/value.h"
#include "experiment/plan.h"
#include "interfaces/search.h"

namespace assay {

struct FrozenRun {
  std::string run, hash;
  Value config;  // null: stands in the result file alone
};

/// When members of a population were compared, and whose copy each goes on as.
struct Generation {
  std::int64_t step = 0;
  std::vector<std::size_t> from;  // by member; 0: the first
};

struct FrozenPlan {
  std::string name;
  std::string experiment;  // absolute path of its file
  std::vector<std::string> arguments;
  Value sweep;         // of a sweep that chooses its runs as it goes; else null
  double seconds = 0;  // that it ran before, where it may end by the clock
  std::optional<std::int64_t> ended_after;  // trials, of one that ended early
  std::string ended_because;
  std::vector<Generation> generations;  // of a population
  std::vector<SearchPoint> points;      // of a search that does not wait for batches
  std::vector<FrozenRun> runs;
};

ASSAY_API std::filesystem::path plan_in(const std::filesystem::path& folder);
FrozenRun frozen(const PlannedRun& run);

/// Nothing if the folder has none. Throws Error(data) if it is damaged.
ASSAY_API std::optional<FrozenPlan> read_plan(const std::filesystem::path& folder);
/// Whether just this plan stands there.
ASSAY_API bool is_frozen(const std::filesystem::path& folder, const FrozenPlan& plan);
/// Atomically.
ASSAY_API void write_plan(const std::filesystem::path& folder, const FrozenPlan& plan);

/// Runs that the plan has under another name (the order of its axes was another) get that name.
ASSAY_API void keep_names(std::vector<PlannedRun>& runs, const FrozenPlan& plan);

/// A line for each key whose values differ: "model.width: 16 and 32 before, 16 and 64 now"; then
/// how many runs came and went. Empty for plans of the same runs.
ASSAY_API std::vector<std::string> plan_difference(const FrozenPlan& then, const FrozenPlan& now);

}  // namespace assay
