// The bundled searches and pruners. Golden points are those of scipy.stats.qmc 1.10.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "interfaces/pruner.h"
#include "interfaces/search.h"
#include "plugins/bundled.h"
#include "support/thrown.h"

namespace assay {
namespace {

SearchBuild cube(std::size_t dimensions, std::uint64_t seed = 1) {
  SearchBuild build;
  build.seed = seed;
  for (std::size_t d = 0; d < dimensions; ++d)
    build.dimensions.push_back({"x" + std::to_string(d)});
  return build;
}

// A search as a sweep asks it: batches of `batch`; the least value found.
double found(const std::string& yaml, const SearchBuild& build, std::int64_t trials,
             std::int64_t batch, double (*value)(const SearchPoint&)) {
  const auto search = make<Search>(yaml, build);
  std::vector<SearchTrial> done;
  double best = std::numeric_limits<double>::infinity();
  for (std::int64_t b = 0; b * batch < trials; ++b)
    for (SearchPoint& point : search->suggest(done, batch)) {
      const double y = value(point);
      best = std::min(best, y);
      done.push_back({std::move(point), y, b});
    }
  return best;
}

// Branin and Hoo, 1972, scaled to the unit square; the least value is 0.397887.
double branin(const SearchPoint& u) {
  constexpr double kPi = 3.14159265358979323846;
  const double x = 15 * u[0] - 5, y = 15 * u[1];
  const double a = y - 5.1 / (4 * kPi * kPi) * x * x + 5 / kPi * x - 6;
  return a * a + 10 * (1 - 1 / (8 * kPi)) * std::cos(x) + 10;
}

TEST(Sobol, WithoutShiftIsThePublishedSequence) {
  const auto search = make<Search>("{type: sobol, shift: false}", cube(5));
  const std::vector<SearchPoint> golden = {{0, 0, 0, 0, 0},
                                           {0.5, 0.5, 0.5, 0.5, 0.5},
                                           {0.75, 0.25, 0.25, 0.25, 0.75},
                                           {0.25, 0.75, 0.75, 0.75, 0.25},
                                           {0.375, 0.375, 0.625, 0.875, 0.375},
                                           {0.875, 0.875, 0.125, 0.375, 0.875},
                                           {0.625, 0.125, 0.875, 0.625, 0.625},
                                           {0.125, 0.625, 0.375, 0.125, 0.125}};
  EXPECT_EQ(search->suggest({}, 8), golden);
}

TEST(Sobol, TheLastDimensionIsThePublishedOneToo) {
  const auto search = make<Search>("{type: sobol, shift: false}", cube(32));
  std::vector<double> last;
  for (const SearchPoint& point : search->suggest({}, 16)) last.push_back(point.back());
  EXPECT_EQ(last, (std::vector<double>{0.0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875, 0.8125,
                                       0.3125, 0.5625, 0.0625, 0.9375, 0.4375, 0.6875, 0.1875}));
}

TEST(Sobol, GoesOnWhereTheBatchBeforeEnded) {
  const auto search = make<Search>("{type: sobol}", cube(3));
  const auto all = search->suggest({}, 8);
  std::vector<SearchTrial> done;
  for (int i = 0; i < 3; ++i) done.push_back({all[static_cast<std::size_t>(i)], 0, 0});
  const auto rest = search->suggest(done, 5);
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), all.begin() + 3));
}

TEST(Sobol, RefusesMoreDimensionsThanItHas) {
  EXPECT_EQ(thrown([] { make<Search>("{type: sobol}", cube(33)); }),
            "[2] test.yaml:1:1: search 'sobol': wanted at most 32 dimensions, got 33; use {type: "
            "random} for more\n"
            "  {type: sobol}\n"
            "  ^");
}

TEST(Searches, OtherSeedsGiveOtherPoints) {
  for (const char* yaml : {"{type: random}", "{type: sobol}", "{type: tpe}", "{type: gp}"})
    EXPECT_NE(make<Search>(yaml, cube(2, 1))->suggest({}, 4),
              make<Search>(yaml, cube(2, 2))->suggest({}, 4))
        << yaml;
}

// On average over 20 seeds random search comes to 1.31 in 60 trials, TPE to 0.51, and the Gaussian
// process to 0.406 in 40.
TEST(Searches, ThatLearnFindTheLeastOfBraninWhereChanceDoesNot) {
  double random = 0, tpe = 0, gp = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    random += found("{type: random}", cube(2, seed), 60, 4, branin) / 20;
    tpe += found("{type: tpe}", cube(2, seed), 60, 4, branin) / 20;
    gp += found("{type: gp}", cube(2, seed), 40, 4, branin) / 20;
  }
  EXPECT_LT(tpe, 0.6 * random);
  EXPECT_LT(gp, 0.42);
}

TEST(Tpe, PrefersTheChoiceThatDoesBetter) {
  SearchBuild build = cube(1);
  build.dimensions.push_back({"type", 4, false});
  const auto search = make<Search>("{type: tpe}", build);
  std::vector<SearchTrial> done;
  for (std::int64_t b = 0; b < 10; ++b)
    for (SearchPoint& point : search->suggest(done, 4)) {
      const double y = std::floor(point[1] * 4) == 2 ? 0 : 1;
      done.push_back({std::move(point), y, b});
    }
  const auto late = std::count_if(done.end() - 20, done.end(),
                                  [](const SearchTrial& trial) { return trial.value == 0; });
  EXPECT_GE(late, 12);  // of 20; chance alone: 5
}

PrunerRun run_of(std::vector<double> values, bool whole = false) {
  PrunerRun run;
  for (std::size_t i = 0; i < values.size(); ++i)
    run.steps.push_back(static_cast<std::int64_t>(10 * i));
  run.values = std::move(values);
  run.whole = whole;
  return run;
}

TEST(Median, StopsTheWorseHalf) {
  const auto pruner = make<Pruner>("{type: median, every: 10, least: 4}", {});
  const std::vector<PrunerRun> running = {run_of({9, 4}), run_of({9, 1}), run_of({9, 3}),
                                          run_of({9, 2})};
  EXPECT_EQ(pruner->promoted({10, 0, running, {}}), (std::vector<bool>{false, true, false, true}));
}

TEST(Median, StopsNobodyWhereTooFewCanBeCompared) {
  const auto pruner = make<Pruner>("{type: median, every: 10, least: 4}", {});
  const std::vector<PrunerRun> running = {run_of({9, 4}), run_of({9, 1})};
  EXPECT_EQ(pruner->promoted({10, 0, running, {}}), (std::vector<bool>{true, true}));
}

TEST(Asha, RungsAreSoManyTimesAsFar) {
  EXPECT_EQ(make<Pruner>("{type: asha, first: 10, keep_one_in: 3}", {})->rungs(300),
            (std::vector<std::int64_t>{10, 30, 90, 270}));
}

TEST(Asha, KeepsOneInThreeOfAllThatCameToTheRung) {
  const auto pruner = make<Pruner>("{type: asha, first: 10}", {});
  const std::vector<PrunerRun> earlier = {run_of({9, 1}), run_of({9, 2}), run_of({9})};
  const std::vector<PrunerRun> running = {run_of({9, 4}), run_of({9, 1.5}), run_of({9, 0.5}),
                                          run_of({9, 7})};
  EXPECT_EQ(pruner->promoted({10, 0, running, earlier}),
            (std::vector<bool>{false, false, true, false}));
}

// Algorithm 1 of Li et al. (2018): how many runs each bracket has at each rung, for R = 81, eta
// = 3.
TEST(Hyperband, TheBracketsAreThoseOfThePaper) {
  const auto pruner = make<Pruner>("{type: hyperband, first: 1}", {});
  const std::vector<std::int64_t> rungs = pruner->rungs(81);
  EXPECT_EQ(rungs, (std::vector<std::int64_t>{1, 3, 9, 27}));
  std::vector<std::int64_t> alive;
  for (std::int64_t trial = 0; trial < 81 + 34 + 15 + 8 + 5; ++trial) alive.push_back(trial);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    std::vector<PrunerRun> running;
    for (const std::int64_t trial : alive)
      running.push_back({{rungs[i]}, {static_cast<double>((trial * 37) % 143)}, false, trial});
    const auto promoted =
        pruner->promoted({rungs[i], static_cast<std::int64_t>(i), running, {}, 81});
    alive.clear();
    for (std::size_t r = 0; r < running.size(); ++r)
      if (promoted[r]) alive.push_back(running[r].trial);
    left.push_back(alive.size());
  }
  // 81 -> 27 -> 9 -> 3 -> 1, 34 -> 11 -> 3 -> 1, 15 -> 5 -> 1, 8 -> 2, and 5 whole ones.
  EXPECT_EQ(left, (std::vector<std::size_t>{27 + 34 + 15 + 8 + 5, 9 + 11 + 15 + 8 + 5,
                                            3 + 3 + 5 + 8 + 5, 1 + 1 + 1 + 2 + 5}));
}

TEST(Hyperband, ComparesARunWithThoseOfItsBracketAlone) {
  const auto pruner = make<Pruner>("{type: hyperband, first: 10, keep_one_in: 2}", {});
  // Of 20 steps: two brackets of as many trials, of which the second trains whole.
  std::vector<PrunerRun> running;
  for (std::int64_t trial = 0; trial < 4; ++trial)
    running.push_back({{10}, {static_cast<double>(trial)}, false, trial});
  EXPECT_EQ(pruner->promoted({10, 0, running, {}, 20}),
            (std::vector<bool>{true, true, false, true}));
}

TEST(Chance, StopsARunThatGainedTooLittleByTheStandardOfWholeRuns) {
  const auto pruner = make<Pruner>("{type: chance, every: 10, least: 0.2}", {});
  std::vector<PrunerRun> earlier;  // each gains 1 from step 10 on; the best ends at 2
  for (int i = 0; i < 9; ++i) earlier.push_back(run_of({9, 3.0 + i, 2.0 + i}, true));
  const std::vector<PrunerRun> running = {run_of({9, 3.5}), run_of({9, 2.9})};
  EXPECT_EQ(pruner->promoted({10, 0, running, earlier}), (std::vector<bool>{false, true}));
}

TEST(Chance, StopsNobodyBeforeThereAreWholeRuns) {
  const auto pruner = make<Pruner>("{type: chance, every: 10}", {});
  const std::vector<PrunerRun> running = {run_of({9, 3.5}), run_of({9, 2.9})};
  EXPECT_EQ(pruner->promoted({10, 0, running, {}}), (std::vector<bool>{true, true}));
}

}  // namespace
}  // namespace assay
