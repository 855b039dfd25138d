#include "experiment/sweep.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "config/yaml.h"

namespace assay {
namespace {

struct Expanded {
  std::vector<std::string> labels;
  std::vector<Value> configs;
  std::string problems;
};

Expanded expand(const std::string& yaml, const std::vector<std::string>& arguments = {}) {
  Problems problems;
  std::vector<Override> overrides;
  for (const auto& argument : arguments) overrides.push_back(read_override(argument, problems));
  Expanded result;
  for (const Trial& trial : expand_sweep(read_yaml(yaml, "x.yaml"), overrides, problems)) {
    result.labels.push_back(trial.label);
    result.configs.push_back(trial.config);
  }
  result.problems = problems.text();
  return result;
}

std::string at(const Value& config, const char* path) {
  const Value* value = config.at_path(path);
  return value ? write_yaml_flow(*value) : "(none)";
}

TEST(Sweep, OfNothingIsTheOneConfigurationWithoutLabel) {
  const auto all = expand("{seed: 3, model: {type: gpt}}");
  ASSERT_EQ(all.labels, std::vector<std::string>{""});
  EXPECT_EQ(at(all.configs[0], "seed"), "3");
}

TEST(Sweep, MultipliesListAndGridAndLabelsWhatSetsEachApart) {
  const auto all = expand(
      "sweep:\n"
      "  list:\n"
      "    - {model: {type: ngram, context: 1}}\n"
      "    - {model: {type: gpt, width: 64}}\n"
      "  grid: {seed: [1, 2]}\n");
  EXPECT_EQ(all.labels,
            (std::vector<std::string>{"ngram_seed=1", "ngram_seed=2", "gpt_seed=1", "gpt_seed=2"}));
  EXPECT_EQ(at(all.configs[3], "model.width"), "64");
  EXPECT_EQ(at(all.configs[3], "seed"), "2");
  EXPECT_EQ(at(all.configs[3], "sweep"), "(none)");
}

TEST(Sweep, TellsItemsOfTheSameTypeApartByTheNextSetting) {
  const auto all =
      expand("sweep: {list: [{model: {type: gpt, width: 8}}, {model: {type: gpt, width: 16}}]}");
  EXPECT_EQ(all.labels, (std::vector<std::string>{"gpt_width=8", "gpt_width=16"}));
}

// Ten thousand runs have few different sections: each is read once.
TEST(Sweep, TrialsShareTheSectionsInWhichTheyAreEqual) {
  const auto all =
      expand("{seed: 1, model: {type: gpt}, optimizer: {type: sgd}, sweep: {grid: {seed: [1, 2]}}}",
             {"optimizer.rate=0.1,0.2"});
  ASSERT_EQ(all.configs.size(), 4u);
  const auto section = [&](std::size_t trial, const char* name) {
    return all.configs[trial].find(name)->identity();
  };
  EXPECT_EQ(section(0, "model"), section(3, "model"));
  EXPECT_EQ(section(0, "optimizer"), section(2, "optimizer"));
  EXPECT_NE(section(0, "optimizer"), section(1, "optimizer"));
  EXPECT_EQ(at(all.configs[3], "optimizer"), "{type: sgd, rate: 0.2}");
}

TEST(Sweep, TakesSeveralValuesFromTheCommandLine) {
  const auto all = expand("{model: {type: gpt}}", {"seed=1,2", "model.width=8,16"});
  EXPECT_EQ(all.labels, (std::vector<std::string>{"seed=1_width=8", "seed=1_width=16",
                                                  "seed=2_width=8", "seed=2_width=16"}));
}

TEST(Sweep, LetsTheCommandLineReplaceAnAxisOfTheFile) {
  const auto all = expand("sweep: {grid: {seed: [1, 2]}}", {"seed=7"});
  EXPECT_EQ(all.labels, std::vector<std::string>{"seed=7"});
}

TEST(Sweep, LetsAnotherTypeReplaceTheSection) {
  const auto all =
      expand("{model: {type: gpt, width: 64}, sweep: {list: [{model: {type: ngram}}]}}");
  EXPECT_EQ(at(all.configs[0], "model"), "{type: ngram}");
}

TEST(Sweep, RefusesEmptyAxesRepeatedValuesAndUnknownKeysAllAtOnce) {
  EXPECT_EQ(expand("sweep:\n  grid: {seed: [], model.width: [8, 8]}\n  gird: {}\n").problems,
            "x.yaml:2:16: sweep.grid.seed: wanted a list of values, got a list of 0\n"
            "    grid: {seed: [], model.width: [8, 8]}\n"
            "                 ^\n"
            "x.yaml:2:37: sweep.grid.model.width: the value 8 is given twice; each would be the "
            "same run\n"
            "    grid: {seed: [], model.width: [8, 8]}\n"
            "                                      ^\n"
            "x.yaml:3:3: sweep.gird: unknown; a sweep has list, grid, zip, union, where, when, "
            "replicates, retries, search, space, trials, batch, metric, prune, stop, async and "
            "population\n"
            "    gird: {}\n"
            "    ^");
  EXPECT_EQ(expand("sweep: {model.width: [8, 16], seed: [1, 2]}").problems,
            "x.yaml:1:9: sweep.model.width: unknown; to try values of a key, write grid: "
            "{model.width: ...}\n"
            "  sweep: {model.width: [8, 16], seed: [1, 2]}\n"
            "          ^\n"
            "x.yaml:1:31: sweep.seed: unknown; to try values of a key, write grid: {seed: ...}\n"
            "  sweep: {model.width: [8, 16], seed: [1, 2]}\n"
            "                                ^");
}

TEST(Sweep, ZipsAxesInStep) {
  const auto all = expand("sweep: {zip: {model.width: [32, 64], model.heads: [2, 4]}}");
  EXPECT_EQ(all.labels, (std::vector<std::string>{"width=32_heads=2", "width=64_heads=4"}));
  EXPECT_EQ(at(all.configs[1], "model"), "{width: 64, heads: 4}");
  EXPECT_EQ(expand("sweep: {zip: {a: [1, 2], b: [1]}}").problems,
            "x.yaml:1:14: sweep.zip: wanted as many values for each key, but a has 2, b has 1\n"
            "  sweep: {zip: {a: [1, 2], b: [1]}}\n"
            "               ^");
}

TEST(Sweep, AppendsTheSweepsOfAUnionAndMultipliesThemWithTheRest) {
  const auto all = expand(
      "sweep:\n"
      "  union:\n"
      "    - {grid: {model.width: [8, 16]}}\n"
      "    - {list: [{model: {type: ngram}}]}\n"
      "  grid: {seed: [1, 2]}\n");
  EXPECT_EQ(all.labels,
            (std::vector<std::string>{"width=8_seed=1", "width=8_seed=2", "width=16_seed=1",
                                      "width=16_seed=2", "ngram_seed=1", "ngram_seed=2"}));
}

TEST(Sweep, KeepsOnlyCombinationsOfWhichWhereHolds) {
  const auto all = expand(
      "model: {heads: 4}\n"
      "sweep:\n"
      "  grid: {model.width: [32, 50, 64, 128], model.layers: [1, 2]}\n"
      "  where: [model.width % model.heads == 0, model.width * model.layers <= 128, model.layers > "
      "1 or model.width > 32]\n");
  EXPECT_EQ(all.labels, (std::vector<std::string>{"width=32_layers=2", "width=64_layers=1",
                                                  "width=64_layers=2", "width=128_layers=1"}));
  EXPECT_EQ(expand("sweep: {grid: {seed: [1]}, where: seed > 1}").problems,
            "x.yaml:1:35: where: holds of no combination, so that nothing is left to run\n"
            "  sweep: {grid: {seed: [1]}, where: seed > 1}\n"
            "                                    ^");
  EXPECT_EQ(expand("sweep: {grid: {seed: [1]}, where: sead > 1}").problems,
            "x.yaml:1:35: sweep.where: no run has a name 'sead'; did you mean seed?\n"
            "  sead > 1\n"
            "  ^");
}

TEST(Sweep, AppliesAnAxisOnlyWhereItsConditionHolds) {
  const auto all = expand(
      "sweep:\n"
      "  grid:\n"
      "    optimizer.beta2: [0.9, 0.99]\n"
      "    optimizer.type: [sgd, adam]\n"
      "  when: {optimizer.beta2: optimizer.type == adam}\n");
  EXPECT_EQ(all.labels, (std::vector<std::string>{"sgd", "adam_beta2=0.9", "adam_beta2=0.99"}));
  EXPECT_EQ(expand("sweep: {grid: {a: [1]}, when: {b: a == 1}}").problems,
            "x.yaml:1:32: sweep.when: neither grid nor zip has an axis b\n"
            "  sweep: {grid: {a: [1]}, when: {b: a == 1}}\n"
            "                                 ^");
}

TEST(Sweep, ReplicatesEachCombinationWithTheNextSeeds) {
  const auto all = expand("{seed: 7, sweep: {grid: {model.width: [8, 16]}, replicates: 3}}");
  std::vector<std::string> seeds;
  for (const Value& config : all.configs) seeds.push_back(at(config, "seed"));
  EXPECT_EQ(seeds, (std::vector<std::string>{"7", "8", "9", "7", "8", "9"}));
  EXPECT_EQ(at(expand("sweep: {replicates: 2}").configs[1], "seed"), "2");
}

TEST(Sweep, TakesTheFirstSeedOfReplicatesOrAllOfThemFromTheCommandLine) {
  const auto one = expand("sweep: {replicates: 2}", {"seed=5"});
  ASSERT_EQ(one.configs.size(), 2u);
  EXPECT_EQ(at(one.configs[1], "seed"), "6");
  EXPECT_EQ(expand("sweep: {replicates: 2}", {"seed=5,9,11"}).configs.size(), 3u);
  EXPECT_EQ(expand("sweep: {grid: {seed: [1]}, replicates: 2}").problems,
            "x.yaml:1:40: sweep.replicates: an axis sets the seeds already; remove one of them\n"
            "  sweep: {grid: {seed: [1]}, replicates: 2}\n"
            "                                         ^");
  EXPECT_EQ(expand("sweep: {replicates: some}").problems,
            "x.yaml:1:21: sweep.replicates: wanted a number from 1 to 100000, got text \"some\"\n"
            "  sweep: {replicates: some}\n"
            "                      ^");
}

TEST(Sweep, TakesDottedKeysInLists) {
  const auto all = expand("{model: {type: gpt}, sweep: {list: [{model.width: 8, seed: 2}]}}");
  EXPECT_EQ(at(all.configs[0], "model"), "{type: gpt, width: 8}");
}

class SweepList : public ::testing::Test {
 protected:
  SweepList() : folder_(std::filesystem::path(::testing::TempDir()) / "assay_sweep_list") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~SweepList() override { std::filesystem::remove_all(folder_); }
  Expanded of(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name) << content;
    Problems problems;
    Expanded result;
    const Value root = read_yaml("sweep: {list: " + name + "}", (folder_ / "x.yaml").string());
    for (const Trial& trial : expand_sweep(root, {}, problems)) {
      result.labels.push_back(trial.label);
      result.configs.push_back(trial.config);
    }
    result.problems = problems.text();
    for (std::size_t at; (at = result.problems.find(folder_.string() + "/")) != std::string::npos;)
      result.problems.erase(at, folder_.string().size() + 1);
    return result;
  }
  std::filesystem::path folder_;
};

TEST_F(SweepList, IsReadFromATableBesideTheExperiment) {
  const auto all = of("t.csv", "model.width,seed\n64,1\n,2\n");
  EXPECT_EQ(all.problems, "");
  ASSERT_EQ(all.configs.size(), 2u);
  EXPECT_EQ(at(all.configs[0], "model"), "{width: 64}");
  EXPECT_EQ(at(all.configs[1], "model"), "(none)");
  EXPECT_EQ(at(all.configs[1], "seed"), "2");
}

TEST_F(SweepList, IsReadFromJson) {
  const auto all = of("t.json", "[{\"model\": {\"width\": 8}}, {\"model.width\": 16}]");
  EXPECT_EQ(all.labels, (std::vector<std::string>{"width=8", "width=16"}));
}

TEST_F(SweepList, SaysWhatIsWrongWithItsFile) {
  EXPECT_EQ(of("t.csv", "a,b\n1\n").problems,
            "x.yaml:1:15: sweep.list: t.csv:2: wanted 2 fields, one for each key, got 1\n"
            "  sweep: {list: t.csv}\n"
            "                ^");
  EXPECT_EQ(of("t.csv", "a,a\n1,2\n").problems,
            "x.yaml:1:15: sweep.list: t.csv:1: a: is there twice\n"
            "  sweep: {list: t.csv}\n"
            "                ^");
  EXPECT_EQ(of("t.csv", "a\n").problems,
            "x.yaml:1:15: sweep.list: t.csv: wanted a line of keys and a line for each run, got 1 "
            "lines\n"
            "  sweep: {list: t.csv}\n"
            "                ^");
  EXPECT_EQ(of("t.csv", "a\n" + std::string(20'000'000, 'x') + "\n").problems,
            "x.yaml:1:15: sweep.list: t.csv: more than 16 MiB; runs are listed in less\n"
            "  sweep: {list: t.csv}\n"
            "                ^");
  EXPECT_EQ(of("t.txt", "a\n").problems,
            "x.yaml:1:15: sweep.list: wanted a list of settings or a file .csv, .tsv, .json or "
            ".yaml that has them, got text \"t.txt\"\n"
            "  sweep: {list: t.txt}\n"
            "                ^");
}

}  // namespace
}  // namespace assay
