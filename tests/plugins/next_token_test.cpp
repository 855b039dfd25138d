#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/tape.h"
#include "interfaces/objective.h"
#include "nn/pass.h"
#include "plugins/bundled.h"
#include "support/thrown.h"

namespace assay {
namespace {

struct NextToken : testing::Test {
  NextToken() { spec.fields = {{"input", 2, 2, 0}, {"target", 2, 2, 0}}; }

  SummedLoss loss(const Batch& batch) {
    Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, "step"));
    const std::vector<float> logits = {0, 0, 0, std::log(3.0F)};  // p = 1/2, 1/2 and 1/4, 3/4
    return make<Objective>("{type: next_token}", {spec})
        ->loss({tape.constant({1, 2, 2}, logits), {}}, batch, pass);
  }
  static Batch targets(std::int32_t first, std::int32_t second) {
    Batch batch(1);
    const auto ids = batch.add_ids("target", {1, 2});
    ids[0] = first, ids[1] = second;
    return batch;
  }
  DataSpec spec;
  Tape tape;
  Parameters parameters;
};

TEST_F(NextToken, SumsTheLossOfTargets) {
  const SummedLoss sum = loss(targets(0, 1));
  EXPECT_EQ(sum.weight, 2);
  EXPECT_NEAR(sum.sum.values()[0], std::log(2) + std::log(4.0 / 3), 1e-6);
}

TEST_F(NextToken, LeavesNegativeTargetsOut) {
  const SummedLoss sum = loss(targets(-1, 1));
  EXPECT_EQ(sum.weight, 1);
  EXPECT_NEAR(sum.sum.values()[0], std::log(4.0 / 3), 1e-6);
}

TEST_F(NextToken, WeighsTargetsWhereTheBatchSaysSo) {
  Batch batch = targets(0, 1);
  const auto weights = batch.add_reals("weight", {1, 2});
  weights[0] = 0.5F, weights[1] = 2;
  const SummedLoss sum = loss(batch);
  EXPECT_EQ(sum.weight, 2.5);
  EXPECT_NEAR(sum.sum.values()[0], 0.5 * std::log(2) + 2 * std::log(4.0 / 3), 1e-6);
}

TEST_F(NextToken, CountsTargetsThatTheModelHoldsImpossible) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  const auto objective = make<Objective>("{type: next_token}", {spec});
  const auto figures = [&](float second, std::int32_t target) {
    const Tensor logits = tape.constant({1, 2, 2}, std::vector<float>{0, kNever, 0, second});
    return objective->figures({logits, {}}, targets(target, 1));
  };
  EXPECT_TRUE(figures(0, 0).empty());
  const std::vector<Objective::Figure> some = figures(kNever, -1), all = figures(kNever, 1);
  ASSERT_EQ(some.size(), 1U);
  EXPECT_EQ(some[0].name, "impossible");
  EXPECT_EQ(some[0].sum, 1);
  EXPECT_TRUE(some[0].total);
  EXPECT_EQ(all[0].sum, 2);
}

TEST_F(NextToken, NeedsTargets) {
  spec.fields.pop_back();
  EXPECT_EQ(
      thrown([&] { loss(targets(0, 1)); }),
      "[2] test.yaml:1:1: objective 'next_token': the dataset has no 'target' (it has input)\n"
      "  {type: next_token}\n"
      "  ^");
}

}  // namespace
}  // namespace assay
