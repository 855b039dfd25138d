#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "cli/made_files.h"
#include "support/thrown.h"

namespace assay {
namespace {

class Ls : public MadeFiles {};
class Rm : public MadeFiles {};

TEST_F(Ls, ShowsStatusStepsAndLosses) {
  made("x/a.h5", 1, {{0, 450, 900}, {4, 1.5, 2.0}});
  made("x/b.h5", 2, {{0}, {4}}, 3, RunStatus::failed);
  EXPECT_EQ(printed({"ls", folder.path().string()}),
            "run  status  steps  val/loss  min(val/loss)  seconds               started\n"
            "---  ------  -----  --------  -------------  -------  --------------------\n"
            "a    done      900    2.0000         1.5000   2.0000  2026-11-30T01:54:07Z\n"
            "b    failed    900    4.0000         4.0000   2.0000  2026-11-30T01:54:07Z\n[0]\n");
}

TEST_F(Ls, FiltersSortsAndPrintsWhatIsAsked) {
  ended("a.h5", 1, 2.0, 1);
  ended("b.h5", 1, 1.5, 2);
  ended("c.h5", 1, std::nan(""), 3);
  ended("d.h5", 1, 3.0, 4);
  EXPECT_EQ(printed({"ls", folder.path().string(), "--filter", "model.layers != 4", "--sort",
                     "-val/loss", "--columns", "model.layers, val/loss", "--format", "csv"}),
            "run,model.layers,val/loss\na.h5,1,2\nb.h5,2,1.5\nc.h5,3,nan\n[0]\n");
  EXPECT_EQ(printed({"ls", file("a.h5"), "--columns", "seed, status", "--json"}),
            "[\n  {\"run\": \"a.h5\", \"seed\": 1, \"status\": \"done\"}\n]\n[0]\n");
}

TEST_F(Ls, ReadsTheWholeFileWhereTheSummaryDoesNotSuffice) {
  const std::string a = made("a.h5", 1, {{0, 1, 2, 3}, {4, 3, 5, 1}});
  EXPECT_EQ(printed({"ls", a, "--columns", "at(val/loss, 1), mean(val/loss), count(val/loss)",
                     "--format", "csv"}),
            "run,\"at(val/loss, 1)\",mean(val/loss),count(val/loss)\na.h5,3,3.25,4\n[0]\n");
  EXPECT_EQ(printed({"ls", a, "--filter", "at(val/loss, 2) == 5", "--columns", "seed", "--format",
                     "csv"}),
            "run,seed\na.h5,1\n[0]\n");
}

TEST_F(Ls, OfAFolderWithoutRunsSaysSo) {
  EXPECT_EQ(printed({"ls", folder.path().string()}), "[5]\n");
  EXPECT_NE(messages.find("no result files (*.h5) in this folder\nno runs\n"), std::string::npos);
  EXPECT_EQ(printed({"ls", folder.path().string(), "--columns", "val/loss"}), "[5]\n");
  EXPECT_NE(messages.find("no runs\n"), std::string::npos);
}

TEST_F(Rm, MovesToATrashAndBack) {
  const std::string a = ended("a.h5", 1, 2.0), b = ended("b.h5", 1, 1.0);
  EXPECT_EQ(printed({"rm", a}), "[0]\n");
  EXPECT_FALSE(std::filesystem::exists(a));
  EXPECT_EQ(printed({"ls", folder.path().string(), "--columns", "seed", "--format", "csv"}),
            "run,seed\nb.h5,1\n[0]\n");
  EXPECT_EQ(printed({"rm", "--restore", a}), "[0]\n");
  EXPECT_TRUE(std::filesystem::exists(a));
  EXPECT_FALSE(std::filesystem::exists(file(".trash"))) << "an empty trash is no clutter";
}

TEST_F(Rm, BringsBackTheCopyThatWasRemovedLast) {
  const std::string a = ended("a.h5", 1, 2.0);
  printed({"rm", a});
  ended("a.h5", 2, 1.0);
  printed({"rm", a});
  ended("a.h5", 3, 1.0);
  EXPECT_EQ(thrown([&] {
              run_program({"rm", "--restore", a});
            }),
            "[5] " + a + ": exists; move it away before another is restored");
  std::filesystem::remove(a);
  printed({"rm", "--restore", a});
  EXPECT_EQ(printed({"ls", a, "--columns", "seed", "--format", "csv"}), "run,seed\na.h5,2\n[0]\n");
}

TEST_F(Rm, TakesAlongWhatALiveRunKeepsBesideIt) {
  const std::string a = made("a.h5", 1, {{0}, {4}}, 2, RunStatus::stopped);
  std::ofstream(file("a.journal")) << "rows";
  std::ofstream(file("a.ckpt-100.h5")) << "weights";
  std::ofstream(file("ab.journal")) << "another's";
  printed({"rm", a});
  EXPECT_FALSE(std::filesystem::exists(file("a.journal")));
  EXPECT_FALSE(std::filesystem::exists(file("a.ckpt-100.h5")));
  EXPECT_TRUE(std::filesystem::exists(file("ab.journal")));
  printed({"rm", "--restore", a});
  EXPECT_TRUE(std::filesystem::exists(file("a.journal")));
  EXPECT_TRUE(std::filesystem::exists(file("a.ckpt-100.h5")));
}

TEST_F(Rm, OfAFilterTakesOnlyRunsForWhichItHolds) {
  ended("a.h5", 1, 2.0, 1);
  ended("b.h5", 1, 1.5, 2);
  printed({"rm", folder.path().string(), "--filter", "val/loss > 1.8"});
  EXPECT_EQ(messages, "1 run moved to the trash; back with: assay rm --restore FILE\n");
  EXPECT_FALSE(std::filesystem::exists(file("a.h5")));
  EXPECT_TRUE(std::filesystem::exists(file("b.h5")));
  EXPECT_EQ(printed({"rm", "--empty", folder.path().string()}), "[0]\n");
  EXPECT_EQ(messages, "1 run deleted for good\n");
  EXPECT_EQ(thrown([&] {
              run_program({"rm", "--restore", file("a.h5")});
            }),
            "[5] " + file("a.h5") + ": is not in " + file(".trash"));
}

TEST_F(Rm, RefusesWhatIsNoResultFile) {
  std::ofstream(file("notes.txt")) << "keep me";
  EXPECT_EQ(thrown([&] { run_program({"rm", file("notes.txt")}); }).substr(0, 8), "[2] rm: ");
  EXPECT_TRUE(std::filesystem::exists(file("notes.txt")));
}

}  // namespace
}  // namespace assay
