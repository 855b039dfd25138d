#include "experiment/sweep_values.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "config/yaml.h"

namespace assay {
namespace {

struct Read {
  std::string values, problems;
};

Read values(const std::string& yaml) {
  Problems problems;
  std::vector<std::string> texts;
  for (const Value& value : sweep_values("k", read_yaml(yaml, "x.yaml"), problems))
    texts.push_back(write_yaml_flow(value));
  return {join(texts), problems.text()};
}

// CASES.md D22.
TEST(SweepValues, OfARangeIncludeItsEndAndAreThoseOneWouldWrite) {
  EXPECT_EQ(values("{range: [0.1, 0.3], step: 0.1}").values, "0.1, 0.2 and 0.3");
  EXPECT_EQ(values("{range: [0.8, 1.0], step: 0.1}").values, "0.8, 0.9 and 1");
  EXPECT_EQ(values("{range: [0, 1], step: 0.1}").values,
            "0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9 and 1");
  EXPECT_EQ(values("{range: [-1, 1], step: 5e-1}").values, "-1, -0.5, 0, 0.5 and 1");
  EXPECT_EQ(values("{range: [1, 8], step: 3}").values, "1, 4 and 7");
  EXPECT_EQ(values("{range: [9223372036854775806, 9223372036854775807], step: 1}").problems, "");
}

TEST(SweepValues, OfARangeThatIsNoneAreRefused) {
  EXPECT_EQ(values("{range: [0, 1], step: 0}").problems,
            "x.yaml:1:23: k: step: wanted a number above 0, got 0\n"
            "  {range: [0, 1], step: 0}\n"
            "                        ^");
  EXPECT_EQ(values("{range: [0, 1], step: -0.1}").problems,
            "x.yaml:1:23: k: step: wanted a number above 0, got -0.1\n"
            "  {range: [0, 1], step: -0.1}\n"
            "                        ^");
  EXPECT_EQ(values("{range: [1, 0], step: 0.1}").problems,
            "x.yaml:1:9: k: range: the last value, 0, is below the first, 1\n"
            "  {range: [1, 0], step: 0.1}\n"
            "          ^");
  EXPECT_EQ(values("{range: [0, 1], step: 1e-9}").problems,
            "x.yaml:1:23: k: these are 1e+09 values; the most is 100000\n"
            "  {range: [0, 1], step: 1e-9}\n"
            "                        ^");
  EXPECT_EQ(values("{range: [0, 1e18], step: 1e17, points: 3}").problems,
            "x.yaml:1:32: k: points: unknown beside range; wanted {range: [first, last], step: "
            "...}\n"
            "  {range: [0, 1e18], step: 1e17, points: 3}\n"
            "                                 ^");
  EXPECT_EQ(values("{range: [0.001, 1e18], step: 1e17}").problems,
            "x.yaml:1:9: k: range: its numbers need more than 18 digits between them; write the "
            "values as a list\n"
            "  {range: [0.001, 1e18], step: 1e17}\n"
            "          ^");
}

// CASES.md D55: the ends are values, not exponents.
TEST(SweepValues, OfALogspaceAreItsEndsAndEqualRatiosBetween) {
  EXPECT_EQ(values("{logspace: [1e-5, 1e-1], points: 5}").values,
            "1e-5, 0.0001, 0.001, 0.01 and "
            "1e-1");
  EXPECT_EQ(values("{logspace: [1, 8], points: 4}").values, "1, 2, 4 and 8");
  EXPECT_EQ(
      values("{logspace: [1, 8, 4]}").problems,
      "x.yaml:1:12: k: logspace: wanted {logspace: [first, last], points: ...}, got a list of 3\n"
      "  {logspace: [1, 8, 4]}\n"
      "             ^");
  EXPECT_EQ(values("{logspace: [0, 1], points: 3}").problems,
            "x.yaml:1:13: k: logspace: wanted a number above 0, got 0\n"
            "  {logspace: [0, 1], points: 3}\n"
            "              ^");
}

TEST(SweepValues, OfALinspaceAreEquallyFarApart) {
  EXPECT_EQ(values("{linspace: [100, 300], points: 5}").values, "100, 150, 200, 250 and 300");
  EXPECT_EQ(values("{linspace: [0, 1], points: 4}").values,
            "0, 0.333333333333, 0.666666666667 and "
            "1");
  EXPECT_EQ(values("{linspace: [0, 1], points: 1}").problems,
            "x.yaml:1:28: k: points: wanted a whole number of at least 2, got 1\n"
            "  {linspace: [0, 1], points: 1}\n"
            "                             ^");
  EXPECT_EQ(values("{linspace: [0, 1]}").problems,
            "x.yaml:1:1: k: points: missing beside linspace\n"
            "  {linspace: [0, 1]}\n"
            "  ^");
}

TEST(SweepValues, AreAListOrOneOfTheRules) {
  EXPECT_EQ(values("[1, a, {b: 2}]").values, "1, a and {b: 2}");
  EXPECT_EQ(values("[]").problems,
            "x.yaml:1:1: k: wanted a list of values, got a list of 0\n"
            "  []\n"
            "  ^");
  EXPECT_EQ(
      values("{uniform: [0, 1]}").problems,
      "x.yaml:1:1: k: wanted a list of values, or a map with range, linspace or logspace, got "
      "a map\n"
      "  {uniform: [0, 1]}\n"
      "  ^");
  EXPECT_EQ(values("[1, 1]").problems,
            "x.yaml:1:5: k: the value 1 is given twice; each would be the same run\n"
            "  [1, 1]\n"
            "      ^");
}

}  // namespace
}  // namespace assay
