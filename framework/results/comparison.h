// Runs side by side: which belong together, in what they differ, and what their seeds allow one to
// claim.
//
//   const std::vector<RunGroup> groups = groups_of(runs, {});           // differ only in seed
//   const std::vector<std::string> keys = differing_keys(runs);         // "model.layers"
//   const auto claim = compare_groups(values_of(a), values_of(b));      // b against a
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/api.h"
#include "results/run_set.h"
#include "results/statistics.h"

namespace assay {

struct RunGroup {
  std::vector<const LoadedRun*> runs;
  // Of a configuration and seed that one of runs has: the same numbers once more, no new evidence.
  std::vector<const LoadedRun*> repeats = {};
};

struct Grouping {
  std::vector<std::string> keys;   // equal in all runs of a group; empty: all but the seed
  bool split_by_argument = false;  // runs from different paths never share a group
};
/// In the order of their first runs. Of runs with the same configuration and seed the first that is
/// done stands for all, the others are repeats. How a run is kept is no part of its configuration.
ASSAY_API std::vector<RunGroup> groups_of(const std::vector<const LoadedRun*>& runs,
                                          const Grouping& grouping);
/// Whether two paths bring the same configuration with the same seed: then they are two sides.
ASSAY_API bool brings_repeats(const std::vector<const LoadedRun*>& runs);

/// Every key of the configurations but the seed, in the order in which they first appear.
ASSAY_API std::vector<std::string> all_keys(const std::vector<const LoadedRun*>& runs);
/// Of these the keys whose values differ. A key is compared among runs that have its section
/// with the same `type`: between a gpt and an ngram model only `model.type` differs. A section that
/// only some runs have is named by its type where no other key tells these runs apart.
ASSAY_API std::vector<std::string> differing_keys(const std::vector<const LoadedRun*>& runs);
/// The value as text, "-" where the run has none.
ASSAY_API std::string config_text(const LoadedRun& run, const std::string& key);

/// One number of each run that is done and has a finite one, by seed.
struct SeedValues {
  std::vector<std::uint64_t> seeds;
  std::vector<double> values;
  std::size_t runs = 0;  // with those that are not done or have none
};
ASSAY_API SeedValues values_of(const RunGroup& group, const Expression& metric);

/// b against a.
struct Claim {
  double difference = 0;            // mean(b) - mean(a)
  std::optional<Difference> welch;  // absent: n = 1 on a side, no claim
  std::optional<Interval> bootstrapped;
  std::size_t pairs = 0;  // seeds that both sides have, each once
  std::optional<Difference> paired;
  std::optional<std::int64_t> seeds_needed, pairs_needed;
  double adjusted_p = 1;  // of the paired test where there is one, else of Welch's
};
/// Absent where a side has no value.
ASSAY_API std::optional<Claim> compare_groups(const SeedValues& a, const SeedValues& b);
/// Sets adjusted_p of all (Holm): call with every claim that is made.
ASSAY_API void adjust(std::vector<std::optional<Claim>>& claims);

/// Values by step: every step that any has, each with one value for each series, or none there.
struct JoinedSteps {
  std::vector<std::int64_t> steps;
  std::vector<std::vector<std::optional<double>>> values;  // [series][step]
};
/// Null series have no steps.
ASSAY_API JoinedSteps join_by_step(const std::vector<const Series*>& series);

}  // namespace assay
