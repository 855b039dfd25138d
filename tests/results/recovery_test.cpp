#include "results/recovery.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "results/digest.h"
#include "results/example_run.h"
#include "results/live_files.h"
#include "results/live_run.h"
#include "results/pack.h"
#include "results/run_file.h"
#include "results/saving.h"
#include "results/trailer.h"
#include "results/verification.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;

HelperEnding here(const std::function<void(const SaidFunction&)>& work) {
  work([](std::string_view) {});
  return {true, "", ""};
}

RunRecord finished_run() {
  RunRecord run = example_run();
  run.status = RunStatus::done;
  run.digest = digest(run.checkpoints.at("final").weights);
  return run;
}

class Recovered : public testing::Test {
 protected:
  /// Every row that was rescued is one that was there.
  static void expect_true_rows(const RunRecord& run, const RunRecord& whole, std::size_t at) {
    for (const auto& [metric, series] : run.metrics) {
      ASSERT_EQ(series.steps.size(), series.values.size()) << at;
      ASSERT_TRUE(whole.metrics.contains(metric)) << at << ' ' << metric;
      const Series& all = whole.metrics.at(metric);
      for (std::size_t i = 0; i < series.steps.size(); ++i) {
        const auto row = std::find(all.steps.begin(), all.steps.end(), series.steps[i]);
        ASSERT_NE(row, all.steps.end()) << at << ' ' << metric;
        const double was = all.values[static_cast<std::size_t>(row - all.steps.begin())];
        EXPECT_TRUE(was == series.values[i] || (was != was && series.values[i] != series.values[i]))
            << at << ' ' << metric;
      }
    }
  }

  TemporaryFolder folder;
  const std::filesystem::path file = folder / "run.h5", saved = folder / "run.recovered.h5";
};

TEST_F(Recovered, OfASoundFileThereIsNothingToDo) {
  write_run(file, finished_run());
  EXPECT_TRUE(recover(file, here).sound);
  EXPECT_EQ(thrown([&] { recover(folder / "none.h5", here); }),
            "[5] " + (folder / "none.h5").string() + ": no such file");
}

// Whatever byte is wrong, what comes back is true, and most of it comes back.
TEST_F(Recovered, WithAnyByteChangedGivesBackWhatIsNotThere) {
  const RunRecord whole = finished_run();
  write_run(file, whole);
  const std::string good = content(file);
  std::size_t tried = 0, complete = 0, usable = 0;
  for (std::size_t at = 0; at < good.size(); at += 97, ++tried) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    put(file, bytes);
    const Recovery found = recover(file, here);
    EXPECT_FALSE(found.sound);
    ASSERT_EQ(found.runs.size(), 1U) << at;
    const RunRecord& run = found.runs.front();
    EXPECT_EQ(run.config, whole.config) << at;  // from the image or from the summary
    expect_true_rows(run, whole, at);
    for (const auto& [name, checkpoint] : run.checkpoints) {
      if (name.ends_with("-partial") || !found.lost.empty()) continue;
      EXPECT_TRUE(same(checkpoint.weights, whole.checkpoints.at(name).weights)) << at;
    }
    complete += found.lost.empty();
    usable += run.checkpoints.contains("final");
    EXPECT_EQ(run.status, found.lost.empty() ? RunStatus::done : RunStatus::stopped) << at;
  }
  EXPECT_GT(complete, tried / 4) << complete << " of " << tried;
  EXPECT_GT(usable, tried / 2);
}

TEST_F(Recovered, CutShortGivesBackWhatStandsBefore) {
  const RunRecord whole = finished_run();
  write_run(file, whole);
  const std::string good = content(file);
  std::size_t rows = 0;
  for (std::size_t size = good.size() - 1; size > 100; size -= std::min<std::size_t>(size, 997)) {
    put(file, good.substr(0, size));
    const Recovery found = recover(file, here);
    if (found.runs.empty()) continue;
    expect_true_rows(found.runs.front(), whole, size);
    for (const auto& [metric, series] : found.runs.front().metrics) rows += series.steps.size();
  }
  EXPECT_GT(rows, 0U);
}

TEST_F(Recovered, WithoutTheDatasetThatCrashesTheReader) {
  const RunRecord whole = finished_run();
  write_run(file, whole);
  std::string bytes = content(file);
  bytes[bytes.size() - 1] ^= 1;
  put(file, bytes);
  int calls = 0;
  const Recovery found = recover(file, [&](const std::function<void(const SaidFunction&)>& work) {
    ++calls;
    try {
      work([](std::string_view said) {
        if (said == "31") throw std::string(said);  // as if it had ended there
      });
    } catch (const std::string& during) {
      return HelperEnding{false, during, "crashes with signal 11 (Segmentation fault)"};
    }
    return HelperEnding{true, "", ""};
  });
  EXPECT_EQ(calls, 2);
  ASSERT_EQ(found.lost.size(), 1U);
  EXPECT_EQ(found.lost[0],
            "metrics/train%2Floss: crashes the reader; 2 of its rows are in the summary");
}

TEST_F(Recovered, IsWrittenAsAFileThatIsSoundAndNeverReplacesOne) {
  write_run(file, finished_run());
  std::string bytes = content(file);
  bytes[bytes.size() - 1] ^= 1;
  put(file, bytes);
  EXPECT_FALSE(verify(file).sound);
  write_recovery(saved, recover(file, here));
  EXPECT_TRUE(verify(saved).sound) << verify(saved).what;
  EXPECT_EQ(read_run(saved).digest, finished_run().digest);
  EXPECT_EQ(thrown([&] {
              write_recovery(saved, recover(file, here));
            }).substr(0, 6 + saved.string().size() + 16),
            "[5] " + saved.string() + ": exists already (");
  EXPECT_EQ(content(file), bytes);
}

/// Six steps with a checkpoint after the third, then a kill.
class RecoveredLive : public Recovered {
 protected:
  void SetUp() override {
    LiveRun live(file, {Durability::flush, 100});
    RunRecord record;
    record.id = "one";
    record.config = "name: gpt\n";
    live.open(record);
    while (record.steps < 6) {
      record.metrics["loss"].steps.push_back(record.steps);
      record.metrics["loss"].values.push_back(10.0 - static_cast<double>(record.steps++));
      live.append(record);
      if (record.steps != 3) continue;
      Checkpoint now;
      now.step = 3;
      now.weights["w"] = {{1}, std::vector<float>{3}};
      now.counters["best"] = {{}, std::vector<std::int64_t>{-1}};
      now.counters["rows/loss"] = {{}, std::vector<std::int64_t>{3}};
      live.keep(record, now, nullptr);
    }
  }
};

TEST_F(RecoveredLive, NeedsNothingAfterAKill) {
  EXPECT_TRUE(recover(file, here).sound);
}

TEST_F(RecoveredLive, RowsEndAtTheFirstBadRecordAndTheCheckpointServesAllTheSame) {
  std::string bytes = content(journal_of(file));
  bytes[26 + 62 + 30] ^= 1;  // in the second record of rows
  put(journal_of(file), bytes);
  const Recovery found = recover(file, here);
  EXPECT_EQ(found.lost, (Lines{"320 bytes of the journal, from byte 91 on",
                               "2 rows of loss before the checkpoint of step 3"}));
  EXPECT_EQ(found.rescued,
            (Lines{"1 row of the journal, up to step 1", "the checkpoint of step 3",
                   "configuration", "1 row of 1 metric", "checkpoint final (step 3)"}));
  write_recovery(saved, found);
  RunRecord record = read_run(saved);
  EXPECT_EQ(record.status, RunStatus::stopped);
  EXPECT_EQ(record.metrics.at("loss").values, (std::vector<double>{10}));
  EXPECT_EQ(record.history.size(), 1U);
  EXPECT_TRUE(take_rows_ahead(record).empty());  // it can be continued
}

TEST_F(RecoveredLive, WithoutItsFileRowsAndWeightsComeBack) {
  std::filesystem::remove(file);
  const Recovery found = recover(file, here);
  EXPECT_EQ(found.lost, (Lines{"the file itself: there is none"}));
  ASSERT_EQ(found.runs.size(), 1U);
  EXPECT_EQ(found.runs[0].metrics.at("loss").values, (std::vector<double>{10, 9, 8, 7, 6, 5}));
  EXPECT_EQ(found.runs[0].checkpoints.at("final").step, 3);
}

TEST_F(RecoveredLive, FilesOfAnotherRunAreNotMixedIn) {
  RunRecord other;
  other.id = "two";
  other.status = RunStatus::running;
  write_run(file, other);
  const Recovery found = recover(file, here);
  EXPECT_EQ(found.lost, (Lines{"the journal: it is of another run",
                               "the checkpoint of step 3: it is of another run"}));
  EXPECT_TRUE(found.runs.front().metrics.empty());
}

TEST_F(Recovered, PackGivesBackEveryRunAndSaysWhichLostSomething) {
  std::vector<RunRecord> runs = {finished_run(), finished_run(), finished_run()};
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].run = "seed=" + std::to_string(i);
  write_pack(file, runs);
  EXPECT_TRUE(verify(file).sound) << verify(file).what;
  std::string bytes = content(file);
  // A value of val/loss of the second run.
  const std::string values(
      reinterpret_cast<const char*>(runs[0].metrics["train/loss"].values.data()), 32);
  const std::size_t second = bytes.find(values, bytes.find(values) + 1);
  ASSERT_NE(second, std::string::npos);
  bytes[second] ^= 1;
  put(file, bytes);
  EXPECT_EQ(verify(file).what,
            "is damaged: its SHA-256 is not the one it was written with; `assay recover " +
                file.string() + "` saves what can be saved");
  const Recovery found = recover(file, here);
  ASSERT_EQ(found.runs.size(), 3U);
  EXPECT_EQ(found.lost,
            (Lines{"runs/seed=1/metrics/train%2Floss: H5Z__filter_fletcher32: data error detected "
                   "by Fletcher32 checksum; 2 of its rows are in the summary"}));
  EXPECT_EQ(found.runs[0].status, RunStatus::done);
  EXPECT_EQ(found.runs[1].status, RunStatus::stopped);
  EXPECT_EQ(found.runs[2].status, RunStatus::done);
  write_recovery(saved, found);
  EXPECT_TRUE(verify(saved).sound);
}

// More than kLinksWithoutIndex runs: HDF5 then keeps their names in a tree.
TEST_F(Recovered, OfAPackThatIsCutShortTheRunsBeforeTheCutAreThere) {
  std::vector<RunRecord> runs(80, finished_run());
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].run = "seed=" + std::to_string(i);
  write_pack(file, runs);
  const std::string bytes = content(file);
  put(file, bytes.substr(0, bytes.size() / 2));
  const Recovery found = recover(file, here);
  ASSERT_GE(found.runs.size(), 30U);
  std::size_t complete = 0;
  for (const RunRecord& run : found.runs) complete += run.status == RunStatus::done ? 1 : 0;
  EXPECT_GE(complete, 29U);
}

TEST_F(Recovered, ARunOfAPackThatIsLostAsAWholeIsOneLine) {
  std::vector<RunRecord> runs = {finished_run(), finished_run()};
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].run = "seed=" + std::to_string(i);
  write_pack(file, runs);
  const std::string bytes = content(file);
  put(file, bytes.substr(0, bytes.size() / 4));
  const Recovery found = recover(file, here);
  ASSERT_EQ(found.runs.size(), 1U);
  EXPECT_EQ(found.runs[0].run, "seed=0");
  EXPECT_EQ(found.rescued.back(), "1 run");
  EXPECT_EQ(found.lost.back(), "seed=1: all of it");
  for (const std::string& line : found.lost) EXPECT_FALSE(line.starts_with("runs/seed=1")) << line;
}

}  // namespace
}  // namespace assay
