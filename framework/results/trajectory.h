// Where the weights of two runs part: hashes of every parameter that a run notes on its way
// (Trajectory, record.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/api.h"
#include "base/state.h"
#include "results/record.h"

namespace assay {

/// Whether it has a hash for each step and parameter.
bool is_whole(const Trajectory& trajectory);

/// What a checkpoint keeps of it: rows after the last snapshot stand nowhere else.
ASSAY_API void trajectory_state(StateIo& io, Trajectory& trajectory);

/// Puts the trajectory of record where its checkpoint "final" is (without one: to its start).
void rewind_trajectory(RunRecord& record);

/// The first step of both at which a parameter that both have differs.
struct WeightParting {
  std::int64_t step = 0;
  std::string parameter;                // the first of them, in the order of a
  std::size_t differing = 0, all = 0;   // parameters at that step
  std::optional<std::int64_t> same_at;  // the step of both before it
};
struct WeightPaths {
  std::optional<WeightParting> parting;
  std::optional<std::int64_t> compared_to;  // the last step compared; absent: there was none
};
ASSAY_API WeightPaths compare_weights(const RunRecord& a, const RunRecord& b);

/// "weights part at step 8: embedding is the first of 3 parameters (of 12) that differ; ..."; empty
/// if nothing could be compared.
ASSAY_API std::string weights_text(const WeightPaths& paths);

}  // namespace assay
