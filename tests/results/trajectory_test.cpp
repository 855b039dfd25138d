#include "results/trajectory.h"

#include <gtest/gtest.h>

#include "results/live_run.h"

namespace assay {
namespace {

RunRecord noted(std::vector<std::string> parameters, std::vector<std::int64_t> steps,
                std::vector<std::int64_t> hashes) {
  RunRecord record;
  record.trajectories[kWeightTrajectory] = {std::move(parameters), std::move(steps),
                                            std::move(hashes)};
  return record;
}

std::string compared(const RunRecord& a, const RunRecord& b) {
  return weights_text(compare_weights(a, b));
}

TEST(Trajectory, NamesTheFirstStepAndTheFirstParameterInWhichTwoRunsPart) {
  const RunRecord a = noted({"z", "a"}, {0, 4, 8, 12}, {1, 2, 3, 4, 5, 6, 7, 8});
  const RunRecord b = noted({"z", "a"}, {0, 2, 4, 8, 12}, {1, 2, 0, 0, 3, 4, 5, 9, 0, 0});
  EXPECT_EQ(compared(a, b),
            "weights part at step 8: a is the first of 1 parameters (of 2) that differ; the same "
            "at step 4");
  const RunRecord other = noted({"z", "a"}, {0}, {0, 0});
  EXPECT_EQ(compared(a, other),
            "weights part at step 0: z is the first of 2 parameters (of 2) that differ; none was "
            "noted before");
}

TEST(Trajectory, ComparesParametersByPathAndOnlyThoseOfBoth) {
  const RunRecord a = noted({"z", "a"}, {0, 4}, {1, 2, 3, 4});
  const RunRecord b = noted({"new", "a", "z"}, {4}, {7, 4, 3});
  EXPECT_EQ(compared(a, b), "weights: the same wherever both noted them, up to step 4");
  EXPECT_EQ(compared(a, noted({"new"}, {4}, {7})), "");
  EXPECT_EQ(compared(a, noted({"z", "a"}, {5}, {3, 4})), "");
  EXPECT_EQ(compared(a, {}), "");
}

TEST(Trajectory, GoesBackToTheCheckpointWithTheRun) {
  RunRecord record = noted({"a"}, {0, 4, 8}, {1, 2, 3});
  record.checkpoints["final"].step = 6;
  take_rows_ahead(record);
  EXPECT_EQ(record.trajectories.at(kWeightTrajectory).steps, (std::vector<std::int64_t>{0, 4}));
  EXPECT_EQ(record.trajectories.at(kWeightTrajectory).hashes, (std::vector<std::int64_t>{1, 2}));

  Trajectory kept = {{"a"}, {0, 2, 4, 6}, {1, 7, 2, 8}};
  StateIo io = StateIo::saving(record.checkpoints["final"].counters);
  trajectory_state(io, kept);
  take_rows_ahead(record);
  EXPECT_EQ(record.trajectories.at(kWeightTrajectory).steps, kept.steps);
  EXPECT_EQ(record.trajectories.at(kWeightTrajectory).hashes, kept.hashes);

  record.checkpoints.clear();
  take_rows_ahead(record);
  EXPECT_TRUE(record.trajectories.empty());
}

}  // namespace
}  // namespace assay
