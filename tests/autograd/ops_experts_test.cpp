// A mixture of experts: gates, balance, and the sums of what experts say.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autograd/ops.h"
#include "support/grad_check.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Inputs = std::vector<Tensor>;

// Rows whose order no step of the differences changes.
CheckedInput apart() {
  return {{3, 4}, {0.1F, 0.6F, 1.1F, 1.6F, 2.2F, 0.2F, 0.7F, 1.2F, 0.4F, 1.4F, 0.9F, 3}};
}

TEST(Gradient, OfTheGateOfOneExpert) {
  check_gradients({apart()}, [](const Inputs& in) { return top_gates(in[0], 1).weights; });
}
TEST(Gradient, OfTheGatesOfTwoExperts) {
  check_gradients({apart()}, [](const Inputs& in) { return top_gates(in[0], 2).weights; });
}
TEST(Gradient, OfTheLoadBalance) {
  const std::vector<std::int32_t> chosen = {3, 2, 0, 3, 3, 1};
  const std::vector<std::uint8_t> marks = {1, 0, 1};
  check_gradients({random_input({3, 4}, 1)},
                  [&](const Inputs& in) { return load_balance(in[0], chosen, marks); });
}
TEST(Gradient, OfRowsBelowEachOther) {
  check_gradients({random_input({3, 2}, 1), random_input({1, 2}, 2)}, [](const Inputs& in) {
    const std::vector<Tensor> parts = {in[0], in[1], in[0]};
    return stack_rows(parts);
  });
}
TEST(Gradient, OfWeightedRows) {
  const std::vector<std::int32_t> ids = {1, 0, 2, -1, 1, 1};
  check_gradients({random_input({3, 2}, 1), random_input({4, 5}, 2)},
                  [&](const Inputs& in) { return weighted_rows(in[0], in[1], ids); });
}

TEST(TopGates, TakeTheLowerOfEqualExperts) {
  Tape tape;
  const std::vector<float> p = {0.25F, 0.25F, 0.25F, 0.25F};
  const Gates gates = top_gates(tape.constant({1, 4}, p), 2);
  EXPECT_EQ(gates.chosen[0], 0);
  EXPECT_EQ(gates.chosen[1], 1);
  EXPECT_EQ(gates.weights.values()[0], 0.5F);
}

// Fedus et al., 2021: "the auxiliary loss is minimised under a uniform distribution", where it is 1
// before the factor.
TEST(LoadBalance, IsOneWhereAllAreUsedAlikeAndTheirNumberWhereOneIs) {
  Tape tape;
  const std::vector<float> uniform(8, 0.25F), one = {1, 0, 0, 0, 1, 0, 0, 0};
  const std::vector<std::int32_t> spread = {0, 1, 2, 3}, same = {0, 0};
  EXPECT_EQ(load_balance(tape.constant({2, 4}, uniform), spread, {}).values()[0], 1);
  EXPECT_EQ(load_balance(tape.constant({2, 4}, one), same, {}).values()[0], 4);
}

TEST(LoadBalance, OfPaddingAloneIsZero) {
  Tape tape;
  const std::vector<float> uniform(4, 0.25F);
  const std::vector<std::int32_t> chosen = {0};
  const std::vector<std::uint8_t> marks = {0};
  EXPECT_EQ(load_balance(tape.constant({1, 4}, uniform), chosen, marks).values()[0], 0);
}

TEST(TopGates, RefuseMoreExpertsThanThereAre) {
  Tape tape;
  const std::vector<float> p = {0.5F, 0.5F};
  EXPECT_EQ(thrown([&] {
              top_gates(tape.constant({1, 2}, p), 3);
            }),
            "[3] [top_gates] (1, 2): wanted [T, E] with E of 3 or more");
}

}  // namespace
}  // namespace assay
