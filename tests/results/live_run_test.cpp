#include "results/live_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "io/lock_file.h"
#include "results/live_files.h"
#include "results/run_file.h"
#include "results/trash.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Steps = std::vector<std::int64_t>;
using Values = std::vector<double>;

class KeptRun : public testing::Test {
 protected:
  static RunRecord new_record(const std::string& id = "one") {
    RunRecord record;
    record.id = id;
    return record;
  }

  /// As the trainer does: a row of the step, then the step is complete.
  static void step(RunRecord& record, double value) {
    Series& loss = record.metrics["loss"];
    loss.steps.push_back(record.steps++);
    loss.values.push_back(value);
  }

  static Checkpoint checkpoint(const RunRecord& record, std::int64_t best = -1) {
    Checkpoint now;
    now.step = record.steps;
    now.weights["w"] = {{1}, std::vector<float>{static_cast<float>(record.steps)}};
    now.counters["best"] = {{}, std::vector<std::int64_t>{best}};
    now.counters["rows/loss"] = {{}, std::vector<std::int64_t>{record.steps}};
    return now;
  }

  /// Steps 0 to last - 1 with value 10 - step, a checkpoint after each of `kept`, then a kill.
  void killed(std::int64_t last, const Steps& kept) {
    LiveRun live(file, {Durability::flush, 100});
    RunRecord record = new_record();
    live.open(record);
    while (record.steps < last) {
      step(record, 10.0 - static_cast<double>(record.steps));
      live.append(record);
      if (std::find(kept.begin(), kept.end(), record.steps) != kept.end())
        live.keep(record, checkpoint(record), nullptr);
    }
  }

  /// The record as a continuation has it: at its last checkpoint.
  RunRecord continued(LiveRun& live) {
    RunRecord record = read_run(file);
    const std::int64_t reached = record.steps;
    Rows ahead = take_rows_ahead(record);
    const auto last = record.checkpoints.find("final");
    record.steps = last == record.checkpoints.end() ? 0 : last->second.step;
    live.continues(record, std::move(ahead), reached);
    live.open(record);
    return record;
  }

  Steps checkpoints() const {
    Steps steps;
    for (const auto& [step, own] : checkpoints_of(file)) steps.push_back(step);
    return steps;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all = folder.names();
    std::sort(all.begin(), all.end());
    return all;
  }

  TemporaryFolder folder;
  const std::filesystem::path file = folder / "run.h5";
};

TEST_F(KeptRun, RowsThatComeOutAgainAreComparedAndStayOnce) {
  killed(5, {2});
  LiveRun live(file, {});
  RunRecord record = continued(live);
  ASSERT_EQ(record.steps, 2);
  for (const double value : {8.0, 7.0, 6.0, 5.0}) {
    step(record, value);
    live.append(record);
  }
  EXPECT_FALSE(live.deviation());
  const RunRecord back = read_run(file);
  EXPECT_EQ(back.metrics.at("loss").steps, (Steps{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(back.metrics.at("loss").values, (Values{10, 9, 8, 7, 6, 5}));
}

TEST_F(KeptRun, DeviationIsFoundAndTheNewRowsReplaceTheOldOnes) {
  killed(5, {2});
  LiveRun live(file, {});
  RunRecord record = continued(live);
  for (const double value : {8.0, 7.5}) {
    step(record, value);
    live.append(record);
  }
  ASSERT_TRUE(live.deviation());
  EXPECT_EQ(live.deviation()->metric, "loss");
  EXPECT_EQ(live.deviation()->step, 3);
  EXPECT_EQ(live.deviation()->before, 7.0);
  EXPECT_EQ(live.deviation()->now, 7.5);
  EXPECT_EQ(read_run(file).metrics.at("loss").values, (Values{10, 9, 8, 7.5}));
}

// A continuation writes nothing before a second has passed: by then it has computed rows again.
TEST_F(KeptRun, RowsComputedAgainBeforeTheFileIsOpenedStandInItOnce) {
  killed(6, {2});
  LiveRun live(file, {});
  RunRecord record = read_run(file);
  Rows ahead = take_rows_ahead(record);
  record.steps = 2;
  live.continues(record, std::move(ahead), 6);
  for (const double value : {8.0, 7.0}) step(record, value);
  live.open(record);
  EXPECT_EQ(read_run(file).metrics.at("loss").steps, (Steps{0, 1, 2, 3, 4, 5}));
  for (const double value : {6.0, 5.0, 4.0}) {
    step(record, value);
    live.append(record);
  }
  EXPECT_FALSE(live.deviation());
  EXPECT_EQ(read_run(file).metrics.at("loss").values, (Values{10, 9, 8, 7, 6, 5, 4}));
}

TEST_F(KeptRun, LargeJournalIsFoldedIntoTheSnapshot) {
  constexpr int kAtOnce = 20000;  // rows of 32 bytes: more than the smallest journal that is folded
  LiveRun live(file, {});
  RunRecord record = new_record();
  live.open(record);
  std::uintmax_t largest = 0;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < kAtOnce; ++k) step(record, k);
    live.append(record);
    largest = std::max(largest, std::filesystem::file_size(journal_of(file)));
  }
  EXPECT_LT(largest, std::uintmax_t{3} * kAtOnce * 32);
  const RunRecord back = read_run(file);
  EXPECT_EQ(back.steps, 4 * kAtOnce);
  EXPECT_EQ(back.metrics.at("loss").steps, record.metrics.at("loss").steps);
  EXPECT_EQ(back.metrics.at("loss").values, record.metrics.at("loss").values);
}

TEST_F(KeptRun, LatestCheckpointsAndTheBestStay) {
  LiveRun live(file, {Durability::flush, 2});
  RunRecord record = new_record();
  Checkpoint best;
  live.open(record);
  while (record.steps < 6) {
    step(record, 1);
    live.append(record);
    if (record.steps == 2) best = checkpoint(record, 2);
    live.keep(record, checkpoint(record, record.steps < 2 ? -1 : 2),
              record.steps < 2 ? nullptr : &best);
  }
  EXPECT_EQ(checkpoints(), (Steps{2, 5, 6}));
  const RunRecord back = read_run(file);
  EXPECT_EQ(back.checkpoints.at("final").step, 6);
  EXPECT_EQ(back.checkpoints.at("best").step, 2);
}

TEST_F(KeptRun, DamagedCheckpointOfTheFutureGoesWithTheNextOne) {
  killed(6, {2, 5});
  put(checkpoint_of(file, 5), "damaged");
  LiveRun live(file, {});
  RunRecord record = continued(live);
  ASSERT_EQ(record.steps, 2);
  step(record, 8);
  live.append(record);
  live.keep(record, checkpoint(record), nullptr);
  EXPECT_EQ(checkpoints(), (Steps{2, 3}));
}

TEST_F(KeptRun, ReplacedByOneThatEndsAtOnceLeavesNothingOfTheOldOne) {
  killed(5, {2, 4});
  LiveRun live(file, {});
  RunRecord record = new_record("two");
  step(record, 1);
  live.finish(record);
  EXPECT_EQ(names(), std::vector<std::string>{"run.h5"});
}

TEST_F(KeptRun, BegunAnewOverAKilledOneIsContinuedAsItself) {
  killed(5, {2, 4});
  {
    LiveRun live(file, {});
    RunRecord record = new_record("two");
    live.open(record);
    step(record, 3);
    live.append(record);
    live.keep(record, checkpoint(record), nullptr);
  }
  LiveRun live(file, {});
  const RunRecord record = continued(live);
  EXPECT_EQ(record.id, "two");
  EXPECT_EQ(record.steps, 1);
  EXPECT_EQ(record.metrics.at("loss").values, Values{3});
}

// Where the record of a step begins in the journal that killed() leaves: an id of three bytes, then
// records with one row each, of a metric with four letters.
std::size_t journal_at(std::int64_t step) {
  return 20 + 3 + 4 + static_cast<std::size_t>(step) * (20 + 16 + 20 + 4 + 4);
}

TEST_F(KeptRun, DamageBehindTheLastCheckpointCostsOnlyTheRowsBehindIt) {
  killed(6, {3});
  std::string bytes = content(journal_of(file));
  ASSERT_EQ(bytes.size(), journal_at(6));
  bytes[journal_at(4) + 30] ^= 1;
  put(journal_of(file), bytes);
  const RunRecord back = read_run(file);
  EXPECT_EQ(back.steps, 4);
  EXPECT_EQ(back.metrics.at("loss").values, (Values{10, 9, 8, 7}));
  EXPECT_EQ(back.checkpoints.at("final").step, 3);
  ASSERT_EQ(back.history.size(), 1U);
  EXPECT_EQ(back.history[0].first, "4");
  EXPECT_EQ(back.history[0].second,
            journal_of(file).string() + ": is damaged at byte " + std::to_string(journal_at(4)) +
                ", with good records behind it; the rows from there on are lost, and computed "
                "again from step 3");
  EXPECT_EQ(read_run(file, false).history, back.history);

  LiveRun live(file, {});
  continued(live);
  EXPECT_EQ(read_run(file).history, back.history);  // once, and for good
}

TEST_F(KeptRun, DamageBeforeTheLastCheckpointIsRefused) {
  killed(6, {3});
  std::string bytes = content(journal_of(file));
  bytes[journal_at(2) + 30] ^= 1;
  put(journal_of(file), bytes);
  const std::string refusal = "[5] " + journal_of(file).string() + ": is damaged at byte " +
                              std::to_string(journal_at(2)) +
                              ", with good records behind it; `assay recover " + file.string() +
                              "` saves what can be saved; `assay run --force` starts the run anew";
  EXPECT_EQ(thrown([&] { read_run(file); }), refusal);
  EXPECT_EQ(thrown([&] { read_run(file, false); }), refusal);
}

TEST_F(KeptRun, DamageWithoutACheckpointIsRefused) {
  killed(6, {});
  std::string bytes = content(journal_of(file));
  bytes[journal_at(4) + 30] ^= 1;
  put(journal_of(file), bytes);
  EXPECT_NE(thrown([&] { read_run(file); }), "");
}

TEST_F(KeptRun, IsNotDiscardedWhileItIsWritten) {
  killed(3, {2});
  put(folder / "run.ckpt-notes.h5", "no checkpoint");
  const auto before = names();
  {
    const LockFile lock(lock_of(file));
    EXPECT_NE(thrown([&] { discard(file); }).find("this run is being written by process"),
              std::string::npos);
  }
  EXPECT_EQ(names(), before);
  const auto discarded = discard(file);
  EXPECT_EQ(names(), (std::vector<std::string>{".trash", "run.ckpt-notes.h5"}));
  EXPECT_EQ(checkpoints_of(discarded).size(), 1U);
  restore(file);
  EXPECT_EQ(names(), before);
}

// Samples of evaluations behind the last checkpoint are seen, and written anew by who continues.
TEST_F(KeptRun, KeepsSamplesThroughAKill) {
  LiveRun live(file, {Durability::flush, 100});
  RunRecord record = new_record();
  live.open(record);
  for (int n = 1; n <= 3; ++n) {
    record.samples.push_back({record.steps, "a", "text " + std::to_string(n), "greedy"});
    step(record, 1);
    live.append(record);
    if (n == 2) live.keep(record, checkpoint(record), nullptr);
  }
  RunRecord found = read_run(file);
  ASSERT_EQ(found.samples.size(), 3U);
  EXPECT_EQ(found.samples[2].text, "text 3");
  EXPECT_EQ(found.samples[2].sampler, "greedy");
  found.samples.push_back({9, "", "", ""});
  take_rows_ahead(found);
  ASSERT_EQ(found.samples.size(), 3U);  // the checkpoint of step 2 has the sample of step 2
  EXPECT_EQ(found.samples.back().step, 2);
}

}  // namespace
}  // namespace assay
