#include "experiment/sweep.h"

#include <gtest/gtest.h>

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
            "x.yaml:2:37: sweep.grid.model.width: the value 8 is given twice; each would be the "
            "same run\n"
            "x.yaml:3:3: sweep.gird: unknown; a sweep has list and grid");
}

}  // namespace
}  // namespace assay
