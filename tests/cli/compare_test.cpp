#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/made_files.h"
#include "support/thrown.h"

namespace assay {
namespace {

const double kNan = std::nan("");

class Compare : public MadeFiles {
 protected:
  std::string printed(std::vector<std::string> words) {
    words.insert(words.begin(), "compare");
    return MadeFiles::printed(words);
  }
};

// D16.
TEST_F(Compare, LinesUpStepsAndNeverRows) {
  const std::string a = made("a.h5", 1, {{0, 100, 200, 300}, {4.0, 3.0, 2.5, 2.2}});
  const std::string b = made("b.h5", 2, {{0, 150, 300}, {4.0, 2.6, 2.1}});
  EXPECT_EQ(printed({a, b, "--by-step", "val/loss", "--format", "csv"}),
            "step,a,b,second - first\n"
            "0,4,4,0\n"
            "100,3,,\n"
            "150,,2.6,\n"
            "200,2.5,,\n"
            "300,2.2,2.1,-0.10000000000000009\n"
            "[0]\n");
}

TEST_F(Compare, OfAFileWithItselfIsAllZeros) {
  const std::string a = made("a.h5", 1, {{0, 100}, {4.0, 3.0}});
  EXPECT_EQ(printed({a, a, "--by-step", "val/loss", "--format", "csv"}),
            "step,a,a,second - first\n0,4,4,0\n100,3,3,0\n[0]\n");
}

TEST_F(Compare, WorksForOneFileForNoStepsAndForAnUnfinishedRun) {
  const std::string a = ended("a.h5", 1, 2.0);
  EXPECT_EQ(printed({a}),
            "run  status  steps  val/loss  min(val/loss)  seconds\n"
            "---  ------  -----  --------  -------------  -------\n"
            "a    done      900    2.0000         2.0000      2.0\n[0]\n");
  const std::string none = made("none.h5", 2, {});
  const std::string part = made("part.h5", 3, {{0}, {4.0}}, 3, RunStatus::stopped);
  EXPECT_EQ(printed({a, none, part, "--runs", "--metrics", "val/loss", "--format", "csv"}),
            "run,model.layers,seed,status,steps,val/loss,seconds\n"
            "a,2,1,done,900,2,2\n"
            "none,2,2,done,900,,2\n"
            "part,3,3,stopped,900,4,2\n[0]\n");
}

TEST_F(Compare, GroupsSeedsAndSaysWhatTheyAllowOneToClaim) {
  std::vector<std::string> words = {"--metrics", "val/loss"};
  for (int seed = 1; seed <= 3; ++seed) {
    const std::string s = std::to_string(seed);
    words.push_back(ended("a" + s + ".h5", seed, 2.0 + 0.01 * seed));
    words.push_back(ended("b" + s + ".h5", seed, 1.5 + 0.01 * seed * seed, 4));
  }
  EXPECT_EQ(
      printed(words),
      "group  model.layers  n          val/loss      95% interval\n"
      "-----  ------------  -  ----------------  ----------------\n"
      "A      2             3  2.0200 +- 0.0100  [1.9952, 2.0448]\n"
      "B      4             3  1.5467 +- 0.0404  [1.4463, 1.6471]\n"
      "\n"
      "val/loss, against A\n"
      "difference  val/loss         95% (Welch)       p           bootstrap  pairs        95% "
      "(paired)  p paired  verdict\n"
      "----------  --------  ------------------  ------  ------------------  -----  "
      "------------------  --------  -------\n"
      "B - A        -0.4733  [-0.5667, -0.3800]  0.0015  [-0.5100, -0.4333]      3  [-0.5492, "
      "-0.3974]    0.0014  lower\n[0]\n");
}

TEST_F(Compare, OneRunAgainstOneClaimsNothing) {
  const std::string a = ended("a.h5", 1, 2.0), b = ended("b.h5", 1, 1.0, 4);
  const std::string text = printed({a, b, "--metrics", "val/loss", "--group-by", "model.layers"});
  EXPECT_NE(
      text.find("B - A        -1.0000            -  -          -      1             -         "
                "-  n = 1, no claim\n"),
      std::string::npos)
      << text;
}

TEST_F(Compare, CountsARunAndItsRerunOnceAndSaysSo) {
  ended("a.h5", 1, 2.0);
  ended("a.rerun.h5", 1, 2.0);
  ended("b.h5", 2, 1.0);
  const std::string text = printed({folder.path().string(), "--metrics", "val/loss"});
  EXPECT_NE(text.find("2  1.5000 +- 0.7071"), std::string::npos) << text;
  EXPECT_EQ(messages, "a.rerun.h5: has the configuration and seed of another run: counted once\n");
}

TEST_F(Compare, SortsNaNLastForLowestAndForHighest) {
  ended("a.h5", 1, kNan, 1);
  ended("b.h5", 1, 2.0, 2);
  ended("c.h5", 1, 1.5, 3);
  made("d.h5", 1, {}, 4);
  const std::string where = folder.path().string();
  const auto order = [&](const std::string& by) {
    const std::string text =
        printed({where, "--sort", by, "--metrics", "val/loss", "--format", "csv"});
    std::string names;
    for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1))
      names += text[at + 1];
    return names;
  };
  EXPECT_EQ(order("val/loss"), "cbad[");
  EXPECT_EQ(order("-val/loss"), "bcad[");
}

TEST_F(Compare, ANumberThatIsNoneIsShownAsSuchAndHasNoLowest) {
  const std::string a = made("a.h5", 1, {{0, 1}, {kNan, kNan}});
  const std::string text = printed({a});
  EXPECT_NE(text.find("a    done      900       nan              -      2.0\n"), std::string::npos)
      << text;
}

TEST_F(Compare, ADamagedFileGetsOneMessageAndTheOthersAreShown) {
  const std::string a = ended("a.h5", 1, 2.0);
  std::ofstream(file("torn.h5")) << "\x89HDF\r\n\x1a\nand no more";
  EXPECT_EQ(printed({folder.path().string(), "--metrics", "val/loss", "--format", "csv"}),
            "run,status,steps,val/loss,seconds\n"
            "a,done,900,2,2\n[5]\n");
  EXPECT_EQ(messages,
            "error: torn.h5: is an HDF5 file without the trailer of a result file: it was cut "
            "short, changed by another program, or is not from Assay; `assay recover torn.h5` saves "
            "what can be saved\n");
  printed({a, file("gone.h5")});
  EXPECT_EQ(messages, "error: gone.h5: no such file\n");
}

TEST_F(Compare, AGateExitsWithOneWhereItsConditionHolds) {
  const std::string a = ended("a.h5", 1, 2.0), worse = ended("worse.h5", 1, 2.05),
                    same = ended("same.h5", 2, 2.03);
  const std::string gate = "val/loss > 1.02 * baseline";
  EXPECT_NE(printed({a, same, "--fail-if", gate}).find("[0]"), std::string::npos);
  EXPECT_NE(printed({a, worse, "--fail-if", gate}).find("[1]"), std::string::npos);
  EXPECT_EQ(messages, "worse.h5: failed: val/loss > 1.02 * baseline\n");
}

TEST_F(Compare, AGateJudgesWhatTopDoesNotShowAgainstTheFirstArgument) {
  const std::string a = ended("a.h5", 1, 1.0), b = ended("b.h5", 1, 2.0, 3),
                    c = ended("c.h5", 1, 2.01, 4);
  const std::string gate = "val/loss > 1.02 * baseline";
  EXPECT_EQ(printed({a, b, c, "--sort", "-val/loss", "--top", "2", "--metrics", "val/loss",
                     "--fail-if", gate, "--format", "csv"}),
            "run,model.layers,status,steps,val/loss,seconds\n"
            "c,4,done,900,2.01,2\nb,3,done,900,2,2\n[1]\n");
  EXPECT_EQ(messages, "c.h5: failed: " + gate + "\nb.h5: failed: " + gate + "\n");
  printed({a, b, c, "--sort", "-val/loss", "--top", "1", "--fail-if", gate});
  EXPECT_EQ(messages, "c.h5: failed: " + gate + "\nb.h5: failed: " + gate + "\n");
}

TEST_F(Compare, AGateWhoseBaselineIsFilteredOutOfItsFolderIsRefused) {
  const std::string a = ended("a.h5", 1, 1.0);
  ended("b.h5", 1, 2.0, 3), ended("c.h5", 1, 2.01, 4);
  const std::string parent = std::filesystem::path(a).parent_path().string();
  testing::internal::CaptureStdout();
  const std::string said = without_folder(thrown([&] {
    run_program({"compare", parent, "--filter", "model.layers > 2", "--fail-if",
                 "val/loss > 1.02 * baseline"});
  }));
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(said,
            "[2] compare: --fail-if: --filter leaves out a.h5, the baseline; let it stay, or give "
            "another file first");
}

TEST_F(Compare, AGateWithoutARunOfTheFirstArgumentIsRefused) {
  const std::string a = ended("a.h5", 1, 1.0), b = ended("b.h5", 1, 2.0, 3),
                    c = ended("c.h5", 1, 2.01, 4);
  testing::internal::CaptureStdout();
  const std::string said = without_folder(thrown([&] {
    run_program({"compare", a, b, c, "--filter", "model.layers > 2", "--fail-if",
                 "val/loss > 1.02 * baseline"});
  }));
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(said,
            "[2] compare: --fail-if: no run of a.h5 is left to be the baseline: none can be read, "
            "or --filter leaves them out; give another first");
}

TEST_F(Compare, ShowsDifferencesFromABaselineBeyondTheTop) {
  std::vector<std::string> words = {"--metrics", "val/loss", "--sort", "val/loss", "--top", "1"};
  for (int seed = 1; seed <= 2; ++seed) {
    const std::string s = std::to_string(seed);
    words.push_back(ended("a" + s + ".h5", seed, 2.0 + 0.01 * seed));
    words.push_back(ended("b" + s + ".h5", seed, 1.5 + 0.01 * seed * seed, 4));
  }
  const std::string text = printed(words);
  EXPECT_NE(text.find("val/loss, against B (a1.h5)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nA - B "), std::string::npos) << text;
  EXPECT_EQ(text.find("\nB "), std::string::npos) << text;
}

TEST_F(Compare, WritesSettingsAndSeedsAsWhatTheyAre) {
  const auto with = [&](const std::string& name, int seed, const std::string& model) {
    RunRecord record = made_record();
    record.seed = static_cast<std::uint64_t>(seed);
    record.config = "name: gpt\nmodel: {type: gpt, " + model + "}\n";
    write_run(file(name), record);
    return file(name);
  };
  const std::string a = with("a.h5", 1,
                             "width: 64, rate: 0.5, tied: true, note: \"1\", mark: \"-\""),
                    b = with("b.h5", 2, "width: 32, rate: 1e-3, tied: false, note: x");
  const std::string text = printed({a, b, "--format", "json", "--metrics", "val/loss > 1"});
  for (const char* part :
       {"\"model.width\": 64", "\"model.rate\": 0.5", "\"model.tied\": true",
        "\"model.note\": \"1\"", "\"model.mark\": \"-\"", "\"seed\": 1", "\"model.rate\": 0.001",
        "\"model.mark\": null", "\"val/loss > 1\": true"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST_F(Compare, OfNoRunIsEmptyInEveryFormat) {
  const std::string a = ended("a.h5", 1, 2.0);
  EXPECT_EQ(printed({a, "--filter", "val/loss < 0", "--format", "json"}),
            "{\n  \"runs\": [],\n  \"groups\": [],\n  \"baseline\": null,\n"
            "  \"differences\": [],\n  \"problems\": []\n}\n[0]\n");
}

TEST_F(Compare, AGateDoesNotPassWhatItCannotJudge) {
  const std::string a = ended("a.h5", 1, 2.0), nan = ended("nan.h5", 1, kNan),
                    failed = made("failed.h5", 1, {{0}, {1.0}}, 2, RunStatus::failed);
  const std::string gate = "val/loss > 1.02 * baseline";
  EXPECT_NE(printed({a, nan, "--fail-if", gate}).find("[1]"), std::string::npos);
  EXPECT_EQ(messages,
            "nan.h5: cannot be judged (a value is missing or nan): val/loss > 1.02 * baseline\n");
  EXPECT_NE(printed({a, failed, "--fail-if", gate}).find("[1]"), std::string::npos);
  EXPECT_EQ(messages, "failed.h5: a run is not done: val/loss > 1.02 * baseline\n");
  EXPECT_EQ(thrown([&] {
              run_program({"compare", a, "--fail-if", gate});
            }),
            "[2] compare: --fail-if: nothing to judge against a baseline: give two files or "
            "folders");
}

TEST_F(Compare, FiltersRunsAndRefusesNamesThatNoneHas) {
  const std::string a = ended("a.h5", 1, 2.0), b = ended("b.h5", 1, 1.5, 4);
  EXPECT_EQ(printed({a, b, "--filter", "model.layers > 2 and model.type == gpt", "--metrics",
                     "val/loss", "--format", "csv"}),
            "run,status,steps,val/loss,seconds\nb,done,900,1.5,2\n[0]\n");
  EXPECT_EQ(thrown([&] {
              run_program({"compare", a, "--filter", "val/los < 2"});
            }),
            "[2] --filter: no run has a name 'val/los'; did you mean val/loss?\n"
            "  val/los < 2\n"
            "  ^");
  EXPECT_EQ(thrown([&] {
              run_program({"compare", a, "--group-by", "model.layer"});
            }),
            "[2] --group-by: no run has a key 'model.layer'; did you mean model.layers?");
  EXPECT_EQ(thrown([&] {
              run_program({"compare", a, "--by-step", "val/los"});
            }),
            "[2] --by-step: no run has a metric 'val/los'; did you mean val/loss?");
  EXPECT_EQ(thrown([&] {
              run_program(
                  {"compare", a, "--by-step", "val/loss", "--group-by", "seed", "--format", "csv"});
            }),
            "[2] compare: csv is one table: give one of --by-step, --group-by and --runs");
  EXPECT_EQ(thrown([&] {
              run_program({"compare", a, "--format", "xml"});
            }),
            "[2] compare: --format: wanted table, csv, json or md, got 'xml'");
}

TEST_F(Compare, APageShowsExtremesBesideNaNAndKeepsNamesThatLookLikeItsMarks) {
  Series loss;
  for (int step = 0; step < 3000; ++step) {
    loss.steps.push_back(step);
    loss.values.push_back(step % 6 == 0 ? kNan : 1.0);
  }
  loss.values[602] = 7.5;
  loss.values[604] = 0.25;
  const std::string a = made("@DATA@.h5", 1, loss);
  printed({a, "--html", file("page.html")});
  std::ifstream in(file("page.html"));
  const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_NE(page.find("id=\"data\">[{\"name\":\"@DATA@\""), std::string::npos);
  EXPECT_NE(page.find("<td>@DATA@</td>"), std::string::npos);
  EXPECT_NE(page.find(",602,604,"), std::string::npos);
  EXPECT_NE(page.find(",7.5,0.25,"), std::string::npos);
}

TEST_F(Compare, WritesMarkdown) {
  const std::string a = ended("a_1.h5", 1, 2.0);
  EXPECT_EQ(printed({a, "--metrics", "val/loss", "--format", "md"}),
            "| run | status | steps | val/loss | seconds |\n"
            "| --- | --- | ---: | ---: | ---: |\n"
            "| a\\_1 | done | 900 | 2.0000 | 2.0 |\n[0]\n");
}

}  // namespace
}  // namespace assay
