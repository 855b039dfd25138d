// greedy, top_k, top_p, min_p: D18, and D50 where samplers are chained.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "interfaces/sampler.h"
#include "plugins/bundled.h"
#include "plugins/logits.h"
#include "support/thrown.h"

namespace assay {
namespace {

std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

std::vector<float> after(const std::vector<std::string>& samplers, std::vector<float> logits) {
  for (const std::string& yaml : samplers) make<Sampler>(yaml, {})->apply(logits);
  return logits;
}

void expect_probabilities(const std::vector<float>& logits, const std::vector<double>& wanted) {
  const auto p = softmax(logits);
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(p[i], wanted[i], 1e-6) << i;
}

// D18, unsorted: the token that crosses p is kept.
TEST(TopP, KeepsTheTokenThatCrossesP) {
  const auto logits = logits_of({0.1, 0.45, 0.25, 0.2});
  expect_probabilities(after({"{type: top_p, p: 0.6}"}, logits), {0, 0.642857, 0.357143, 0});
  expect_probabilities(after({"{type: top_p, p: 0.75}"}, logits), {0, 0.5, 0.277778, 0.222222});
  for (const char* p : {"0.3", "1e-9", "0"})
    expect_probabilities(after({std::string("{type: top_p, p: ") + p + "}"}, logits), {0, 1, 0, 0});
  EXPECT_EQ(after({"{type: top_p, p: 1}"}, logits), logits);
}

TEST(TopP, OfOneKeepsAllEvenWhereTheSumFallsShort) {
  const std::vector<float> logits(1000, 0.1F);
  EXPECT_EQ(after({"{type: top_p, p: 1}"}, logits), logits);
}

TEST(TopP, OfEqualTokensKeepsTheLowerIds) {
  EXPECT_EQ(after({"{type: top_p, p: 0.5}"}, {1, 1, 1, 1}),
            (std::vector<float>{1, 1, kForbidden, kForbidden}));
}

TEST(TopP, RefusesWhatIsNoProbability) {
  for (const char* p : {"-0.1", "1.5", "nan"}) {
    const std::string yaml = std::string("{type: top_p, p: ") + p + "}";
    EXPECT_NE(thrown([&] { make<Sampler>(yaml, {}); }), "") << p;
  }
}

TEST(TopK, KeepsSoManyAndOfEqualsTheLowerIds) {
  EXPECT_EQ(after({"{type: top_k, k: 2}"}, {1, 3, 3, 2}),
            (std::vector<float>{kForbidden, 3, 3, kForbidden}));
  EXPECT_EQ(after({"{type: top_k, k: 1}"}, {1, 3, 3, 2}),
            (std::vector<float>{kForbidden, 3, kForbidden, kForbidden}));
  EXPECT_EQ(after({"{type: top_k, k: 9}"}, {1, 3, 3, 2}), (std::vector<float>{1, 3, 3, 2}));
}

TEST(MinP, KeepsWhatIsLikelyBesideTheLikeliest) {
  const auto logits = logits_of({0.5, 0.3, 0.15, 0.05});
  expect_probabilities(after({"{type: min_p, p: 0.25}"}, logits),
                       {0.526316, 0.315789, 0.157895, 0});
  EXPECT_EQ(after({"{type: min_p, p: 0}"}, logits), logits);
}

TEST(Greedy, LeavesTheLowestOfTheBest) {
  EXPECT_EQ(after({"{type: greedy}"}, {1, 3, 3, 2}),
            (std::vector<float>{kForbidden, 3, kForbidden, kForbidden}));
}

TEST(Beam, AsksForASearchAndLeavesLogitsAsTheyAre) {
  const auto beam = make<Sampler>("{type: beam, width: 3, length_penalty: 0.5}", {});
  ASSERT_TRUE(beam->beam());
  EXPECT_EQ(beam->beam()->width, 3);
  EXPECT_EQ(beam->beam()->length_penalty, 0.5);
  std::vector<float> logits = {1, 3, kForbidden};
  beam->apply(logits);
  EXPECT_EQ(logits, (std::vector<float>{1, 3, kForbidden}));
  EXPECT_FALSE(make<Sampler>("{type: greedy}", {})->beam());
}

// D50: at temperature 0 the best token is alone, whatever comes after it.
TEST(Samplers, AfterTemperatureZeroChangeNothing) {
  for (const char* then : {"{type: top_k, k: 3}", "{type: top_p, p: 0.9}", "{type: min_p}"})
    EXPECT_EQ(after({"{type: temperature, temperature: 0}", then}, {1, 3, 3, 2}),
              (std::vector<float>{kForbidden, 3, kForbidden, kForbidden}));
}

}  // namespace
}  // namespace assay
