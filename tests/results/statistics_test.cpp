#include "results/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

using Values = std::vector<double>;

nlohmann::json golden() {
  std::ifstream in(ASSAY_TESTS "/golden/statistics.json");
  return nlohmann::json::parse(in);
}

/// 1e-10 of the number, or of 1 where it is smaller.
void expect_equal(double got, const nlohmann::json& wanted, const std::string& what) {
  const auto number = wanted.get<double>();
  EXPECT_NEAR(got, number, 1e-10 * std::max(1.0, std::abs(number))) << what;
}

void expect_equal(const Interval& got, const nlohmann::json& wanted, const std::string& what) {
  expect_equal(got.low, wanted[0], what + ", low");
  expect_equal(got.high, wanted[1], what + ", high");
}

void expect_equal(const Difference& got, const nlohmann::json& wanted, const std::string& what) {
  expect_equal(got.value, wanted["value"], what);
  expect_equal(got.t, wanted["t"], what + ", t");
  expect_equal(got.degrees, wanted["degrees"], what + ", degrees");
  expect_equal(got.p, wanted["p"], what + ", p");
  expect_equal(got.interval, wanted["interval"], what);
}

TEST(Statistics, AgreeWithSciPy) {
  const nlohmann::json all = golden();
  ASSERT_EQ(all["cases"].size(), 6U);
  for (const auto& wanted : all["cases"]) {
    const std::string what = wanted["name"];
    const Values a = wanted["a"], b = wanted["b"];
    const Spread spread = spread_of(a);
    expect_equal(spread.mean, wanted["spread_a"]["mean"], what);
    expect_equal(spread.deviation, wanted["spread_a"]["deviation"], what);
    expect_equal(*spread.interval, wanted["spread_a"]["interval"], what);
    expect_equal(*spread_of(b).interval, wanted["spread_b"]["interval"], what);
    expect_equal(*welch_test(a, b), wanted["welch"], what);
    EXPECT_EQ(seeds_to_decide(a, b), wanted["seeds"].get<std::int64_t>()) << what;
    if (!wanted.contains("paired")) continue;
    Values differences;
    for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
    expect_equal(*paired_test(differences), wanted["paired"], what + ", paired");
    EXPECT_EQ(pairs_to_decide(differences), wanted["pairs"].get<std::int64_t>()) << what;
  }
}

TEST(Statistics, HolmKeepsTheChanceOfAnyFalseClaim) {
  const nlohmann::json wanted = golden()["holm"];
  const Values adjusted = adjusted_by_holm(wanted["p"].get<Values>());
  ASSERT_EQ(adjusted.size(), wanted["adjusted"].size());
  for (std::size_t i = 0; i < adjusted.size(); ++i)
    expect_equal(adjusted[i], wanted["adjusted"][i], std::to_string(i));
  EXPECT_TRUE(adjusted_by_holm({}).empty());
}

TEST(Statistics, BootstrapComesNearToAllResamples) {
  const nlohmann::json wanted = golden()["bootstrap"];
  const Values a = wanted["a"], b = wanted["b"];
  const Interval got = *bootstrap(a, b);
  // Means of four such values lie 0.0025 apart: an end may fall on the neighbour.
  EXPECT_NEAR(got.low, wanted["interval"][0].get<double>(), 0.003);
  EXPECT_NEAR(got.high, wanted["interval"][1].get<double>(), 0.003);
  EXPECT_EQ(bootstrap(a, b)->low, got.low) << "the same values give the same interval";
}

TEST(Statistics, OneValueClaimsNothing) {
  const Values one = {1.5}, two = {1, 2};
  EXPECT_EQ(spread_of(one).count, 1U);
  EXPECT_EQ(spread_of(one).mean, 1.5);
  EXPECT_EQ(spread_of(one).deviation, 0);
  EXPECT_FALSE(spread_of(one).interval);
  EXPECT_FALSE(welch_test(one, two));
  EXPECT_FALSE(welch_test(two, one));
  EXPECT_FALSE(paired_test(one));
  EXPECT_FALSE(bootstrap(one, two));
  EXPECT_FALSE(seeds_to_decide(one, two));
  EXPECT_FALSE(pairs_to_decide(one));
  EXPECT_EQ(spread_of({}).count, 0U);
}

TEST(Statistics, ValuesThatDoNotVaryAreNoDivisionByZero) {
  const Values same = {2, 2}, other = {3, 3};
  EXPECT_EQ(welch_test(same, same)->p, 1);
  EXPECT_EQ(welch_test(same, other)->p, 0);
  EXPECT_EQ(welch_test(same, other)->interval.high, -1);
  EXPECT_EQ(paired_test(Values{0, 0})->p, 1);
  EXPECT_EQ(seeds_to_decide(same, other), 2);
  EXPECT_FALSE(seeds_to_decide(same, same)) << "no number of seeds shows a difference of 0";
}

TEST(Statistics, TheNumberOfSeedsIsThereForDifferencesOfAnySize) {
  for (double size = 1e-12; size < 1e13; size *= 3) {
    const Values a = {0, 1, 0.5}, b = {size, size + 1, size + 0.25};
    const auto seeds = seeds_to_decide(a, b);
    if (size > 0.1) {
      ASSERT_TRUE(seeds) << size;
      EXPECT_GE(*seeds, 2) << size;
    }
    pairs_to_decide(Values{size, size * 1.5, size * 0.9});
  }
}

}  // namespace
}  // namespace assay
