#include "results/pack.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "io/lock_file.h"
#include "results/example_run.h"
#include "results/live_files.h"
#include "results/live_run.h"
#include "results/open_pack.h"
#include "results/pack_edit.h"
#include "results/run_file.h"
#include "results/run_path.h"
#include "results/run_set.h"
#include "results/run_summary.h"
#include "results/saving.h"
#include "results/trash.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Names = std::vector<std::string>;

class Packs : public testing::Test {
 protected:
  static RunRecord run(int seed) {
    RunRecord record = example_run();
    record.run = "seed=" + std::to_string(seed);
    record.seed = static_cast<std::uint64_t>(seed);
    record.status = RunStatus::done;
    return record;
  }
  static Names names(const std::vector<RunRecord>& runs) {
    Names found;
    for (const RunRecord& one : runs) found.push_back(one.run);
    return found;
  }
  Names files() const {
    Names found;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
  static std::string flat(const RunRecord& record) {
    Saving saving;
    saving.save("", [&](auto& io) { run_layout(io, record); });
    return std::string(saving.finish().bytes());
  }

  TemporaryFolder folder;
  const std::filesystem::path pack = folder / "pack-0001.h5";
};

TEST_F(Packs, GiveBackEachRunAsAFileOfItsOwnWould) {
  write_pack(pack, std::vector{run(1), run(2)});
  EXPECT_EQ(names(read_runs(pack)), (Names{"seed=1", "seed=2"}));
  EXPECT_EQ(flat(read_run(run_path(pack, "seed=2"))), flat(run(2)));
  EXPECT_EQ(read_summaries(pack)[1].seed, 2U);
  EXPECT_EQ(read_summaries(run_path(pack, "seed=2")).front().seed, 2U);
  EXPECT_TRUE(read_run(run_path(pack, "seed=2"), false).checkpoints.empty());
}

TEST_F(Packs, SayWhichRunsThereAre) {
  write_pack(pack, std::vector{run(1), run(2)});
  EXPECT_EQ(thrown([&] { read_run(pack); }),
            "[5] " + pack.string() + ": holds 2 runs: name one, as " + pack.string() +
                "::seed=1; `assay ls " + pack.string() + "` lists them");
  EXPECT_EQ(thrown([&] { read_run(run_path(pack, "sed=2")); }),
            "[5] " + pack.string() + ": holds no run 'sed=2'; did you mean seed=2?");
  EXPECT_EQ(thrown([&] { read_run(run_path(pack, "gpt")); }),
            "[5] " + pack.string() + ": holds no run 'gpt'; `assay ls " + pack.string() +
                "` lists its 2");
  write_run(folder / "a.h5", run(7));
  EXPECT_EQ(read_run(run_path(folder / "a.h5", "seed=7")).seed, 7U);
  EXPECT_EQ(thrown([&] { read_run(run_path(folder / "a.h5", "seed=8")); }),
            "[5] " + (folder / "a.h5").string() + ": holds no run 'seed=8'; did you mean seed=7?");
}

TEST_F(Packs, AreListedRunByRunWithFilesOfOneRunBeside) {
  write_pack(pack, std::vector{run(1), run(2)});
  write_run(folder / "z.h5", run(3));
  for (const RunSet& set :
       {load_runs({folder.path().string()}), load_summaries({folder.path().string()})}) {
    Names paths;
    for (const LoadedRun& one : set.runs) paths.push_back(one.file);
    EXPECT_EQ(paths, (Names{pack.string() + "::seed=1", pack.string() + "::seed=2",
                            (folder / "z.h5").string()}));
    EXPECT_TRUE(set.problems.empty());
  }
  EXPECT_EQ(load_summaries({run_path(pack, "seed=2")}).runs.front().file, run_path(pack, "seed=2"));
}

TEST_F(Packs, AreReadWhileTheyAreFilledAndWrittenWhenFull) {
  {
    PackWriter packs(folder.path(), 2);
    EXPECT_EQ(packs.add(run(1)), run_path(pack, "seed=1"));
    EXPECT_EQ(files(), (Names{"pack-0001.journal", "pack-0001.lock"}));
    EXPECT_EQ(flat(read_run(run_path(pack, "seed=1"))), flat(run(1)));
    EXPECT_EQ(load_summaries({folder.path().string()}).runs.size(), 1U);
    packs.add(run(2));
    EXPECT_EQ(files(), (Names{"pack-0001.h5"}));
    EXPECT_EQ(packs.add(run(3)), run_path(folder / "pack-0002.h5", "seed=3"));
    EXPECT_EQ(packs.close(), Names());
  }
  EXPECT_EQ(files(), (Names{"pack-0001.h5", "pack-0002.h5"}));
  EXPECT_EQ(names(read_runs(folder / "pack-0002.h5")), (Names{"seed=3"}));
}

TEST_F(Packs, ThatAKillLeftOpenAreWrittenByTheNextWriter) {
  PackWriter(folder.path(), 9).add(run(1));  // ends without close
  EXPECT_EQ(files(), (Names{"pack-0001.journal"}));
  PackWriter next(folder.path(), 9);
  EXPECT_EQ(files(), (Names{"pack-0001.h5"}));
  EXPECT_EQ(next.add(run(2)), run_path(folder / "pack-0002.h5", "seed=2"));
}

TEST_F(Packs, LeaveTheJournalOfARunThatIsCalledLikeThem) {
  RunRecord other;
  other.id = "one";
  {
    LiveRun live(pack, {});
    live.open(other);
  }
  PackWriter packs(folder.path(), 9);
  EXPECT_TRUE(std::filesystem::exists(journal_of(pack)));
  EXPECT_EQ(read_run(pack).status, RunStatus::stopped);
  EXPECT_EQ(packs.add(run(1)), run_path(folder / "pack-0002.h5", "seed=1"));
}

TEST_F(Packs, OfTwoWritersAreTwo) {
  PackWriter a(folder.path(), 9), b(folder.path(), 9);
  a.add(run(1));
  EXPECT_EQ(b.add(run(2)), run_path(folder / "pack-0002.h5", "seed=2"));
  EXPECT_EQ(a.close(), Names());
  EXPECT_EQ(b.close(), Names());
  EXPECT_EQ(files(), (Names{"pack-0001.h5", "pack-0002.h5"}));
}

TEST_F(Packs, WhoseJournalIsTornGiveTheWholeRuns) {
  PackWriter(folder.path(), 9).add(run(1));
  const std::string one = content(journal_of(pack));
  PackWriter(folder.path(), 9);
  std::filesystem::remove(pack);
  {
    PackWriter packs(folder.path(), 9);
    packs.add(run(1));
    packs.add(run(2));
  }
  const std::string two = content(journal_of(pack));
  for (std::size_t size = one.size(); size < two.size(); size += 997) {
    put(journal_of(pack), two.substr(0, size));
    EXPECT_EQ(names(read_runs(pack)), (Names{"seed=1"})) << size;
  }
  std::string damaged = two;
  damaged[100] ^= 1;
  put(journal_of(pack), damaged);
  EXPECT_EQ(thrown([&] { read_runs(pack); }),
            "[5] " + journal_of(pack).string() + ": is damaged from byte 28 to byte " +
                std::to_string(one.size()) + ", with good records behind it; `assay recover " +
                pack.string() + "` saves what can be saved");
}

TEST_F(Packs, GiveARunAFileOfItsOwn) {
  write_pack(pack, std::vector{run(1), run(2)});
  EXPECT_EQ(taken_out(run_path(pack, "seed=1")), folder / "seed=1.h5");
  EXPECT_EQ(flat(read_run(folder / "seed=1.h5")), flat(run(1)));
  EXPECT_EQ(names(read_runs(pack)), (Names{"seed=2"}));
  EXPECT_EQ(taken_out(folder / "seed=1.h5"), folder / "seed=1.h5");
  taken_out(run_path(pack, "seed=2"));
  EXPECT_EQ(files(), (Names{"seed=1.h5", "seed=2.h5"}));
}

TEST_F(Packs, AreSplitIntoTheFilesThatTheRunsWouldHaveHad) {
  write_pack(pack, std::vector{run(1), run(2)});
  EXPECT_EQ(unpack(pack, folder / "out").size(), 2U);
  write_run(folder / "alone.h5", run(2));
  EXPECT_EQ(content(folder / "out/seed=2.h5"), content(folder / "alone.h5"));
  std::filesystem::remove(folder / "out/seed=1.h5");
  EXPECT_EQ(thrown([&] { unpack(pack, folder / "out"); }),
            "[5] " + (folder / "out/seed=2.h5").string() +
                ": exists already, so nothing is unpacked; choose another folder with --out");
  EXPECT_FALSE(std::filesystem::exists(folder / "out/seed=1.h5"));
}

TEST_F(Packs, LoseARunToTheTrashAndItComesBackAsAFile) {
  write_pack(pack, std::vector{run(1), run(2), run(3)});
  discard_from_pack(pack, {"seed=1", "seed=3"});
  EXPECT_EQ(names(read_runs(pack)), (Names{"seed=2"}));
  restore(folder / "seed=3.h5");
  EXPECT_EQ(flat(read_run(folder / "seed=3.h5")), flat(run(3)));
  const LockFile lock(lock_of(pack));
  EXPECT_NE(thrown([&] {
              discard_from_pack(pack, {"seed=2"});
            }).find("this run is being written by process"),
            std::string::npos);
}

}  // namespace
}  // namespace assay
