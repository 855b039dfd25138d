#include "results/trajectory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace assay {
namespace {

/// Null if the run has noted nothing.
const Trajectory* weights_of(const RunRecord& record) {
  const auto found = record.trajectories.find(kWeightTrajectory);
  return found == record.trajectories.end() ? nullptr : &found->second;
}

void cut_after(Trajectory& trajectory, std::int64_t step) {
  const auto end = std::upper_bound(trajectory.steps.begin(), trajectory.steps.end(), step);
  trajectory.steps.erase(end, trajectory.steps.end());
  trajectory.hashes.resize(trajectory.steps.size() * trajectory.parameters.size());
}

/// Columns of a and b that are of the same parameter.
std::vector<std::pair<std::size_t, std::size_t>> shared_columns(const Trajectory& a,
                                                                const Trajectory& b) {
  std::vector<std::pair<std::size_t, std::size_t>> shared;
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    const auto other = std::find(b.parameters.begin(), b.parameters.end(), a.parameters[i]);
    if (other != b.parameters.end())
      shared.emplace_back(i, static_cast<std::size_t>(other - b.parameters.begin()));
  }
  return shared;
}

}  // namespace

bool is_whole(const Trajectory& trajectory) {
  return trajectory.hashes.size() == trajectory.steps.size() * trajectory.parameters.size();
}

void trajectory_state(StateIo& io, Trajectory& trajectory) {
  io.texts("trajectory/parameters", trajectory.parameters);
  io.integers("trajectory/step", trajectory.steps);
  io.integers("trajectory/hash", trajectory.hashes);
}

void rewind_trajectory(RunRecord& record) {
  const auto final = record.checkpoints.find("final");
  if (final == record.checkpoints.end()) {
    record.trajectories.clear();
    return;
  }
  if (final->second.counters.contains("trajectory/step")) {
    StateIo io = StateIo::restoring(final->second.counters);
    trajectory_state(io, record.trajectories[kWeightTrajectory]);
  }
  for (auto& [name, trajectory] : record.trajectories) cut_after(trajectory, final->second.step);
}

WeightPaths compare_weights(const RunRecord& a, const RunRecord& b) {
  WeightPaths paths;
  const Trajectory *left = weights_of(a), *right = weights_of(b);
  if (!left || !right) return paths;
  const auto shared = shared_columns(*left, *right);
  if (shared.empty()) return paths;
  for (std::size_t i = 0; i < left->steps.size(); ++i) {
    const std::int64_t step = left->steps[i];
    const auto same = std::lower_bound(right->steps.begin(), right->steps.end(), step);
    if (same == right->steps.end() || *same != step) continue;
    const auto row = static_cast<std::size_t>(same - right->steps.begin());
    WeightParting parting{step, {}, 0, shared.size(), paths.compared_to};
    for (const auto& [column, other] : shared) {
      if (left->hashes[i * left->parameters.size() + column] ==
          right->hashes[row * right->parameters.size() + other])
        continue;
      if (parting.differing++ == 0) parting.parameter = left->parameters[column];
    }
    paths.compared_to = step;
    if (parting.differing == 0) continue;
    paths.parting = std::move(parting);
    return paths;
  }
  return paths;
}

std::string weights_text(const WeightPaths& paths) {
  if (!paths.compared_to) return "";
  if (!paths.parting)
    return fmt::format("weights: the same wherever both noted them, up to step {}",
                       *paths.compared_to);
  const WeightParting& parting = *paths.parting;
  return fmt::format(
      "weights part at step {}: {} is the first of {} parameters (of {}) that "
      "differ; {}",
      parting.step, parting.parameter, parting.differing, parting.all,
      parting.same_at ? fmt::format("the same at step {}", *parting.same_at)
                      : "none was noted before");
}

}  // namespace assay
