#include "cli/curves.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cli/made_files.h"

namespace assay {
namespace {

class Curves : public MadeFiles {
 protected:
  void SetUp() override {
    MadeFiles::SetUp();
    setenv("COLUMNS", "44", 1);
    made("a.h5", 1, {{0, 100, 200}, {4, 1, 1}});
    made("b.h5", 1, {{0, 200}, {4, 2}}, 3);
  }
  void TearDown() override { unsetenv("COLUMNS"); }
  std::string refused(std::vector<std::string> words) {
    words.insert(words.begin() + 1, file("a.h5"));
    try {
      return printed(words);
    } catch (const Error& error) {
      testing::internal::GetCapturedStdout();
      testing::internal::GetCapturedStderr();
      return "[" + std::to_string(static_cast<int>(error.code())) + "] " + error.what();
    }
  }
};

TEST_F(Curves, OfSeveralRunsAreDrawnOverOneAnotherWithALegend) {
  EXPECT_EQ(printed({"show", file("a.h5"), file("b.h5"), "--curves", "val/loss"}),
            "val/loss by step\n"
            "4 +BBBB\n"
            "  |  A BBBB\n"
            "  |   AA   BBBB\n"
            "  |    AA      BBBBB\n"
            "3 +      AA         BBBB\n"
            "  |       AA            BBBB\n"
            "  |         AA              BBBBB\n"
            "  |          AA                  BBBB\n"
            "  |            A                     BBBB\n"
            "2 +             AA                       BB\n"
            "  |               A\n"
            "  |                AA\n"
            "  |                 AA\n"
            "1 +                   AAAAAAAAAAAAAAAAAAAAA\n"
            "  +----------------------------------------\n"
            "   0                  100               200\n"
            "   A a 1.0000   B b 2.0000\n[0]\n");
}

TEST_F(Curves, FollowTheTablesOfCompareWithOneLetterForAGroup) {
  made("a2.h5", 2, {{0, 100, 200}, {4, 1, 2}});
  const std::string text = printed({"compare", folder.path().string(), "--curves", "val/loss"});
  EXPECT_NE(text.find("\nval/loss by step\n"), std::string::npos) << text;
  EXPECT_NE(text.find("A model.layers=2, 2 runs, mean 1.5000\n   B b 2.0000\n"), std::string::npos)
      << text;
}

TEST_F(Curves, OnALogScaleLeaveOutWhatHasNoLogarithmAndSaySo) {
  made("c.h5", 1, {{0, 1, 2, 3, 4}, {1000, 0, -1, std::nan(""), 0.1}}, 4);
  const std::string text = printed({"show", file("c.h5"), "--curves", "val/loss", "--log"});
  EXPECT_EQ(text.substr(0, 27), "val/loss by step, log scale");
  EXPECT_NE(text.find("\n1000 +A"), std::string::npos) << text;
  EXPECT_NE(text.find("\n 0.1 +"), std::string::npos) << text;
  EXPECT_NE(text.find("\nnot drawn, as not finite or not positive: 3 of A\n"), std::string::npos)
      << text;
}

TEST_F(Curves, SayWhichRunsLackTheMetricAndHowFarOthersAre) {
  made("none.h5", 1, {}, 5);
  made("part.h5", 1, {{0}, {4}}, 6, RunStatus::stopped);
  const std::string text =
      printed({"show", file("none.h5"), file("part.h5"), "--curves", "val/loss"});
  EXPECT_NE(text.find("B part 4.0000, stopped at step 900\nwithout it: A\n"), std::string::npos)
      << text;
}

TEST_F(Curves, OfARunThatHasEndedAreWatchedNoLonger) {
  EXPECT_EQ(printed({"show", file("a.h5"), "--curves", "val/loss", "--watch"}),
            "A a done, step 900, val/loss 1.0000 at 200\n[0]\n");
}

TEST_F(Curves, RefuseWhatCannotBeDrawn) {
  EXPECT_EQ(refused({"show", "--curves", "val/los"}),
            "[2] --curves: no run has a metric 'val/los'; did you mean val/loss?");
  EXPECT_EQ(refused({"show", "--curves", "x"}),
            "[2] --curves: no run has a metric 'x'; there are val/loss");
  EXPECT_EQ(refused({"show", "--curves", " , "}),
            "[2] --curves: wanted metrics, separated by commas, got none");
  EXPECT_EQ(refused({"compare", "--log"}),
            "[2] compare: --log is about curves: give --curves METRIC");
  EXPECT_EQ(refused({"compare", "--curves", "val/loss", "--smooth", "1"}),
            "[2] --smooth: wanted a number from 0 to below 1, got '1'");
  EXPECT_EQ(refused({"compare", "--curves", "val/loss", "--format", "csv"}),
            "[2] compare: --curves draws on a terminal: it goes with no --format");
  EXPECT_EQ(refused({"show", "--curves", "val/loss", "--json"}),
            "[2] show: --curves draws: it does not go with --json");
}

}  // namespace
}  // namespace assay
