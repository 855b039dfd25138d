#include "results/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "results/summary.h"
#include "support/thrown.h"

namespace assay {
namespace {

class Made final : public Subject {
 public:
  std::map<std::string, std::string> values;
  std::map<std::string, Series> metrics;

  Outcome value(const std::string& name) const override {
    const auto metric = metrics.find(name);
    if (metric != metrics.end()) return Outcome::of(last(metric->second));
    const auto found = values.find(name);
    return found == values.end() ? Outcome() : Outcome::of_scalar(found->second);
  }
  std::optional<double> measure(const Measure& m, const std::string& metric) const override {
    const auto found = metrics.find(metric);
    if (found == metrics.end()) return std::nullopt;
    return assay::measure(found->second, m.function, m.step);
  }
};

Made made(double loss = 1.75) {
  Made run;
  run.values = {{"model.type", "gpt"}, {"model.width", "64"}, {"model.tied", "true"}};
  run.metrics["val/loss"] = {{0, 100, 300}, {4, 1.5, loss}};
  run.metrics["top-1"] = {{0}, {0.25}};
  return run;
}

double number(const std::string& text) {
  const Outcome outcome = Expression::parse(text, "test").evaluate(made());
  EXPECT_EQ(outcome.kind, Outcome::Kind::number) << text;
  return outcome.number;
}

bool holds(const std::string& text) {
  return Expression::parse(text, "test").holds(made());
}

std::string error(const std::string& text) {
  return thrown([&] {
    const KnownNames known = {{"val/loss", "top-1"}, {"model.type", "model.width", "model.tied"}};
    const Expression expression = Expression::parse(text, "--filter");
    expression.check(known);
    expression.holds(made());
  });
}

TEST(Expression, MeasuresAMetric) {
  EXPECT_EQ(number("val/loss"), 1.75);
  EXPECT_EQ(number("last(val/loss)"), 1.75);
  EXPECT_EQ(number("first(val/loss)"), 4);
  EXPECT_EQ(number("min(val/loss)"), 1.5);
  EXPECT_EQ(number("max(val/loss)"), 4);
  EXPECT_EQ(number("step_of_min(val/loss)"), 100);
  EXPECT_EQ(number("step_of_max(val/loss)"), 0);
  EXPECT_EQ(number("at(val/loss, 300)"), 1.75);
  EXPECT_EQ(number("mean(val/loss)"), 7.25 / 3);
  EXPECT_EQ(number("auc(val/loss)"), 275 + 325);
  EXPECT_EQ(number("count(val/loss)"), 3);
  EXPECT_EQ(number("`top-1`"), 0.25);
}

TEST(Expression, KnowsTheUsualPrecedence) {
  EXPECT_EQ(number("1 + 2 * 3 - 4 / 2"), 5);
  EXPECT_EQ(number("-(1 + 2) * -2"), 6);
  EXPECT_EQ(number("val/loss / 2"), 0.875);
  EXPECT_EQ(number("8 / 2 / 2"), 2);
  EXPECT_EQ(number("1 + 64 % 3 * 2"), 3);
  EXPECT_TRUE(holds("1 > 2 or 1 < 2 and not 3 < 2"));
  EXPECT_FALSE(holds("(1 < 2 or 1 < 2) and 3 < 2"));
}

TEST(Expression, FiltersByMetricAndConfiguration) {
  EXPECT_TRUE(holds("val/loss < 2 and model.type == gpt"));
  EXPECT_FALSE(holds("val/loss < 2 and model.type == ngram"));
  EXPECT_TRUE(holds("model.type != ngram and model.width >= 64 and model.tied"));
  EXPECT_TRUE(holds("model.type == 'gpt' and model.tied == true"));
  EXPECT_FALSE(holds("model.width == gpt"));
}

TEST(Expression, WhatARunDoesNotHaveIsNeitherSmallerNorLarger) {
  EXPECT_FALSE(holds("val/accuracy < 2"));
  EXPECT_FALSE(holds("val/accuracy >= 2"));
  EXPECT_FALSE(holds("not val/accuracy < 2"));
  EXPECT_FALSE(holds("at(val/loss, 150) > 0"));
  EXPECT_TRUE(holds("val/accuracy < 2 or val/loss < 2"));
}

TEST(Expression, NaNIsNeverTheLeastAndNeverPassesAComparison) {
  const Made nan = made(std::nan(""));
  const auto on = [&](const char* text) { return Expression::parse(text, "test").evaluate(nan); };
  EXPECT_EQ(on("min(val/loss)").number, 1.5);
  EXPECT_TRUE(std::isnan(on("last(val/loss)").number));
  EXPECT_TRUE(std::isnan(on("mean(val/loss)").number));
  EXPECT_FALSE(on("val/loss < 2").truth);
  EXPECT_FALSE(on("val/loss >= 2").truth);
  EXPECT_TRUE(on("val/loss >= 2").missing()) << "so that a gate can refuse it";
}

TEST(Expression, BaselineIsTheOtherSideInTheBaselineRun) {
  const Made run = made(1.75), baseline = made(1.7);
  const auto of = [&](const char* text) {
    return Expression::parse(text, "--fail-if").evaluate(run, &baseline);
  };
  EXPECT_TRUE(of("val/loss > 1.02 * baseline").truth);
  EXPECT_FALSE(of("val/loss > 1.03 * baseline").truth);
  EXPECT_FALSE(of("min(val/loss) > baseline").truth);
  EXPECT_EQ(of("val/loss - baseline(val/loss)").number, 1.75 - 1.7);
  EXPECT_TRUE(Expression::parse("val/loss > baseline", "x").mentions_baseline());
  EXPECT_EQ(thrown([&] { of("baseline + 1"); }),
            "[2] --fail-if: 'baseline' stands for the other side of a comparison: baseline(...)\n"
            "  baseline + 1\n"
            "  ^");
}

TEST(Expression, AListIsSplitAtItsCommas) {
  const auto list = Expression::parse_list("min(val/loss), at(val/loss, 300) ,val/loss", "x");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].text(), "min(val/loss)");
  EXPECT_EQ(list[1].text(), "at(val/loss, 300)");
  EXPECT_EQ(list[2].text(), "val/loss");
}

TEST(Expression, ErrorsPointToTheCharacter) {
  EXPECT_EQ(error("val/loss < < 2"),
            "[2] --filter: wanted a number, a name or '(', got '<'\n"
            "  val/loss < < 2\n"
            "             ^");
  EXPECT_EQ(error("val/loss = 2"),
            "[2] --filter: one '=' means nothing here; to compare, write '=='\n"
            "  val/loss = 2\n"
            "           ^");
  EXPECT_EQ(error("(val/loss < 2"),
            "[2] --filter: wanted ')', got the end\n"
            "  (val/loss < 2\n"
            "               ^");
  EXPECT_EQ(error("val/lss < 2"),
            "[2] --filter: no run has a name 'val/lss'; did you mean val/loss?\n"
            "  val/lss < 2\n"
            "  ^");
  EXPECT_EQ(error("modle.type == gpt"),
            "[2] --filter: no run has a name 'modle.type'; did you mean model.type?\n"
            "  modle.type == gpt\n"
            "  ^");
  EXPECT_EQ(error("minn(val/loss) < 2"),
            "[2] --filter: no function 'minn'; did you mean min?\n"
            "  minn(val/loss) < 2\n"
            "  ^");
  EXPECT_EQ(error("1 < val/loss < 2"),
            "[2] --filter: join two comparisons with 'and'\n"
            "  1 < val/loss < 2\n"
            "               ^");
  EXPECT_EQ(error("model.type + 1 > 2"),
            "[2] --filter: '+' needs a number, this is text\n"
            "  model.type + 1 > 2\n"
            "  ^");
  EXPECT_EQ(error("val/loss"),
            "[2] --filter: wanted a condition, such as 'val/loss < 2'; this is a number\n"
            "  val/loss\n"
            "  ^");
  EXPECT_EQ(error("at(val/loss) < 2"),
            "[2] --filter: wanted ',' and a step, got ')'\n"
            "  at(val/loss) < 2\n"
            "             ^");
  EXPECT_EQ(error("model.type == \"größe\" and ?"),
            "[2] --filter: '?' means nothing here\n"
            "  model.type == \"größe\" and ?\n"
            "                            ^");
  EXPECT_EQ(error(""),
            "[2] --filter: wanted a number, a name or '(', got the end\n"
            "  \n"
            "  ^");
  EXPECT_EQ(error("1e999 < 2").substr(0, 35), "[2] --filter: '1e999' is no number\n");
}

TEST(Expression, DeepNestingIsRefusedAndNeverOverflowsTheStack) {
  EXPECT_EQ(error(std::string(100000, '(')).substr(0, 34), "[2] --filter: is nested too deeply");
  EXPECT_EQ(error(std::string(100000, '-')).substr(0, 34), "[2] --filter: is nested too deeply");
}

TEST(Expression, LongChainsAreRefusedAndNeverOverflowTheStack) {
  std::string chain = "1";
  for (int i = 0; i < 100000; ++i) chain += "+1";
  EXPECT_EQ(error(chain), "[2] --filter: has more than 1000 operations\n  ..." +
                              chain.substr(1941, 100) + "...\n  " + std::string(63, ' ') + "^");
  EXPECT_EQ(error(chain.substr(0, 2001) + " < 1").substr(0, 43),
            "[2] --filter: has more than 1000 operations");
  EXPECT_EQ(error(chain.substr(0, 1999) + " < 1"), "");
}

}  // namespace
}  // namespace assay
