// What coordinates of a search stand for: bounds are values, ends belong to the space (D55).
#include <gtest/gtest.h>

#include <cmath>

#include "config/scalar.h"
#include "config/yaml.h"
#include "experiment/search_space.h"

namespace assay {
namespace {

SearchSpace space_of(const std::string& yaml) {
  Problems problems;
  SearchSpace space(
      "sweep.space", read_yaml(yaml, "x.yaml"), [](const std::string&) { return false; },
      [](Override change, Problems&) { return change; }, problems);
  EXPECT_EQ(problems.text(), "");
  return space;
}

std::string text_at(const SearchSpace& space, const SearchPoint& point, const std::string& key) {
  Problems problems;
  const Trial trial = space.at(point, {Value::map({}, {}), "", {}}, problems);
  EXPECT_EQ(problems.text(), "");
  const Value* value = trial.config.at_path(key);
  return value ? value->text() : "";
}

TEST(SearchSpace, LogUniformIsUniformInTheLogarithmOfValues) {
  const SearchSpace space = space_of("{a.rate: {log_uniform: [1e-5, 1e-1]}}");
  for (const auto& [u, wanted] :
       {std::pair(0.0, "1e-05"), {0.25, "0.0001"}, {0.5, "0.001"}, {0.75, "0.01"}})
    EXPECT_EQ(text_at(space, {u}, "a.rate"), wanted);
  EXPECT_EQ(text_at(space, {std::nextafter(1.0, 0.0)}, "a.rate"), "0.1");
}

TEST(SearchSpace, StepsGiveAsManyValuesOfEqualShare) {
  const SearchSpace space = space_of("{a.dropout: {uniform: [0.1, 0.3], step: 0.1}}");
  EXPECT_EQ(space.dimensions().front().values, 3);
  EXPECT_TRUE(space.dimensions().front().ordered);
  EXPECT_EQ(text_at(space, {0.33}, "a.dropout"), "0.1");
  EXPECT_EQ(text_at(space, {0.34}, "a.dropout"), "0.2");
  EXPECT_EQ(text_at(space, {0.99}, "a.dropout"), "0.3");
}

TEST(SearchSpace, LogarithmicStepsAreRoundedToMultiplesWithinTheEnds) {
  const SearchSpace space = space_of("{a.batch: {log_uniform: [4, 64], step: 4}}");
  for (int i = 0; i < 100; ++i) {
    std::int64_t batch = 0;
    parse_integer(text_at(space, {i / 100.0}, "a.batch"), batch);
    EXPECT_EQ(batch % 4, 0);
    EXPECT_GE(batch, 4);
    EXPECT_LE(batch, 64);
  }
}

TEST(SearchSpace, NumbersThatIncreaseHaveAnOrderAndChoicesHaveNone) {
  const SearchSpace space =
      space_of("{a: [1, 2, 4], b: [4, 1], c: [x, y], d: {choice: [1, 2, 4]}}");
  std::vector<bool> ordered;
  for (const SearchDimension& dimension : space.dimensions()) ordered.push_back(dimension.ordered);
  EXPECT_EQ(ordered, (std::vector<bool>{true, false, false, false}));
}

TEST(SearchSpace, AKeyWithAConditionIsSetOnlyWhereItHolds) {
  SearchSpace space = space_of("{momentum: {uniform: [0, 1]}, type: {choice: [sgd, adam]}}");
  Problems problems;
  space.add_condition("momentum",
                      *read_condition("when", Value::scalar("type == sgd", false, {}), problems));
  EXPECT_EQ(text_at(space, {0.5, 0.0}, "momentum"), "0.5");
  EXPECT_EQ(text_at(space, {0.5, 0.9}, "momentum"), "");
}

}  // namespace
}  // namespace assay
