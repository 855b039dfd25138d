#include "results/comparison.h"

#include <gtest/gtest.h>

#include "config/yaml.h"

namespace assay {
namespace {

LoadedRun run_of(const std::string& config) {
  LoadedRun run;
  run.config = read_yaml(config, "config");
  return run;
}

using Names = std::vector<std::string>;

TEST(DifferingKeys, AreThoseWithOtherValuesInTheOrderWritten) {
  const LoadedRun a = run_of("{seed: 1, model: {type: gpt, width: 64, heads: [1, 2]}, clip: 1}");
  const LoadedRun b = run_of("{seed: 2, model: {type: gpt, width: 32, heads: [1, 2]}, clip: 2}");
  EXPECT_EQ(differing_keys({&a, &b}), (Names{"model.width", "clip"}));
  EXPECT_EQ(differing_keys({&a}), Names());
}

TEST(DifferingKeys, OfSectionsOfAnotherTypeAreTheTypeAlone) {
  const LoadedRun a = run_of("{model: {type: gpt, width: 64, layers: 2}}");
  const LoadedRun b = run_of("{model: {type: ngram, order: 3}}");
  const LoadedRun c = run_of("{model: {type: gpt, width: 64, layers: 3}}");
  EXPECT_EQ(differing_keys({&a, &b}), Names{"model.type"});
  EXPECT_EQ(differing_keys({&a, &b, &c}), (Names{"model.type", "model.layers"}));
}

TEST(DifferingKeys, NameASectionThatOnlySomeHaveIfNothingElseDoes) {
  const LoadedRun a = run_of("{model: {type: gpt}, scheduler: {type: constant, warm: 1}}");
  const LoadedRun b = run_of("{model: {type: gpt}}");
  const LoadedRun c = run_of("{model: {type: ngram}}");
  EXPECT_EQ(differing_keys({&a, &b}), Names{"scheduler.type"});
  EXPECT_EQ(differing_keys({&a, &c}), Names{"model.type"});
}

TEST(Groups, HoldRunsThatDifferOnlyInSeed) {
  const LoadedRun a = run_of("{seed: 1, width: 64}"), b = run_of("{seed: 2, width: 64}"),
                  c = run_of("{seed: 1, width: 32}");
  const auto groups = groups_of({&a, &c, &b}, {});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].runs, (std::vector<const LoadedRun*>{&a, &b}));
  EXPECT_FALSE(brings_repeats({&a, &b, &c}));
}

TEST(Groups, SplitByArgumentWhereTwoPathsBringTheSameRun) {
  const LoadedRun a = run_of("{seed: 1, width: 64}");
  LoadedRun b = a;
  b.argument = 1;
  EXPECT_TRUE(brings_repeats({&a, &b}));
  Grouping split;
  split.split_by_argument = true;
  EXPECT_EQ(groups_of({&a, &b}, split).size(), 2U);
}

TEST(Groups, CountOneConfigurationAndSeedOnce) {
  LoadedRun a = run_of("{seed: 1, width: 64}");
  const LoadedRun b = run_of("{seed: 1, width: 64, durability: fsync}"),
                  c = run_of("{seed: 2, width: 64, checkpoint: {every: 2}}");
  auto groups = groups_of({&a, &b, &c}, {});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].runs, (std::vector<const LoadedRun*>{&a, &c}));
  EXPECT_EQ(groups[0].repeats, (std::vector<const LoadedRun*>{&b}));

  a.record.status = RunStatus::stopped;  // then the one that is done stands for both
  groups = groups_of({&a, &b, &c}, {});
  EXPECT_EQ(groups[0].runs, (std::vector<const LoadedRun*>{&b, &c}));
  EXPECT_EQ(groups[0].repeats, (std::vector<const LoadedRun*>{&a}));
}

TEST(Groups, OfAKeyKeepRunsOfOneSeedThatDifferElsewhere) {
  const LoadedRun a = run_of("{seed: 1, width: 64, clip: 1}"),
                  b = run_of("{seed: 1, width: 64, clip: 2}");
  Grouping by_width;
  by_width.keys = {"width"};
  const auto groups = groups_of({&a, &b}, by_width);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].runs.size(), 2U);
  EXPECT_TRUE(groups[0].repeats.empty());
}

TEST(Groups, OfAKeyTellNothingFromADash) {
  const LoadedRun a = run_of("{seed: 1, note: \"-\"}"), b = run_of("{seed: 2}");
  Grouping by_note;
  by_note.keys = {"note"};
  EXPECT_EQ(groups_of({&a, &b}, by_note).size(), 2U);
}

TEST(JoinByStep, LeavesOutWhatASeriesDoesNotHave) {
  const Series a = {{0, 100, 300}, {1, 2, 3}}, b = {{150, 300}, {4, 5}};
  const JoinedSteps joined = join_by_step({&a, &b, nullptr});
  EXPECT_EQ(joined.steps, (std::vector<std::int64_t>{0, 100, 150, 300}));
  using Values = std::vector<std::optional<double>>;
  EXPECT_EQ(joined.values[0], (Values{1, 2, {}, 3}));
  EXPECT_EQ(joined.values[1], (Values{{}, {}, 4, 5}));
  EXPECT_EQ(joined.values[2], (Values{{}, {}, {}, {}}));
}

TEST(Claims, PairRunsOfTheSameSeed) {
  const SeedValues a = {{1, 2, 3}, {1.0, 2.0, 3.0}, 3}, b = {{3, 1, 4}, {3.5, 1.25, 9.0}, 3};
  const Claim claim = *compare_groups(a, b);
  EXPECT_EQ(claim.pairs, 2U);
  EXPECT_EQ(claim.paired->value, 0.375);
  EXPECT_DOUBLE_EQ(claim.difference, 13.75 / 3 - 2);
  EXPECT_FALSE(compare_groups(a, {}));
}

TEST(Claims, PairNoSeedThatASideHasTwice) {
  const SeedValues a = {{1, 1, 2, 3}, {1.0, 5.0, 2.0, 3.0}, 4},
                   b = {{1, 2, 3, 3}, {1.0, 2.5, 3.5, 4.5}, 4};
  const Claim claim = *compare_groups(a, b);
  EXPECT_EQ(claim.pairs, 1U);  // seed 2
  EXPECT_FALSE(claim.paired);
}

}  // namespace
}  // namespace assay
