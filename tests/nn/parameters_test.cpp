#include "nn/parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/thrown.h"

namespace assay {
namespace {

TEST(Parameters, StandOn64ByteBoundariesWithGapsOfZero) {
  Parameters parameters;
  const ParameterId a = parameters.add("a", {3}, Initialiser::constant(1));
  const ParameterId b = parameters.add("b", {2, 9}, Initialiser::constant(2));
  parameters.initialise(1);
  EXPECT_EQ(parameters.count(), 21);
  EXPECT_EQ(parameters.buffer_size(), 16 + 32);
  for (const ParameterId id : {a, b})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(parameters.values(id).data()) % 64, 0u);
  EXPECT_EQ(parameters.buffer()[2], 1);
  for (std::size_t i = 3; i < 16; ++i) EXPECT_EQ(parameters.buffer()[i], 0);
  EXPECT_EQ(parameters.buffer()[16], 2);
}

TEST(Parameters, AreFoundByPath) {
  Parameters parameters;
  const ParameterId a = (Scope(parameters) / "layer0" / "attention").add("q", {2}, {});
  EXPECT_EQ(parameters.find("layer0/attention/q").index, a.index);
  EXPECT_FALSE(parameters.find("layer0"));
}

TEST(Parameters, RefuseAPathThatIsTaken) {
  Parameters parameters;
  parameters.add("head", {2}, {});
  EXPECT_EQ(thrown([&] { parameters.add("head", {2}, {}); }),
            "[3] parameter 'head' exists already: give each layer its own scope");
}

TEST(Parameters, DrawNumbersThatDependOnSeedAndPathAlone) {
  const auto draw = [](bool another_before, std::uint64_t seed) {
    Parameters parameters;
    if (another_before) parameters.add("another", {5}, Initialiser::normal(1));
    const ParameterId id = parameters.add("w", {100}, Initialiser::normal(1));
    parameters.initialise(seed);
    const auto values = parameters.values(id);
    return std::vector<float>(values.begin(), values.end());
  };
  EXPECT_EQ(draw(false, 1), draw(true, 1));
  EXPECT_NE(draw(false, 1), draw(false, 2));
}

TEST(Parameters, DrawWithTheGivenSpread) {
  Parameters parameters;
  const ParameterId normal = parameters.add("n", {200, 100}, Initialiser::normal(0.5));
  const ParameterId uniform = parameters.add("u", {200, 100}, Initialiser::uniform(0.5));
  parameters.initialise(1);
  const auto moments = [&](ParameterId id) {
    double sum = 0, squares = 0;
    for (const float x : parameters.values(id)) sum += x, squares += double{x} * x;
    return std::pair(sum / 20000, std::sqrt(squares / 20000));
  };
  // Standard errors over 20,000 draws: 0.0035 of the mean, 0.0025 of the deviation. Four of them.
  EXPECT_NEAR(moments(normal).first, 0, 0.014);
  EXPECT_NEAR(moments(normal).second, 0.5, 0.01);
  EXPECT_NEAR(moments(uniform).first, 0, 0.014);
  EXPECT_NEAR(moments(uniform).second, 0.5 / std::sqrt(3.0), 0.01);
  for (const float x : parameters.values(uniform)) EXPECT_LE(std::abs(x), 0.5F);
}

TEST(Parameters, AreRestoredBitByBit) {
  Parameters one, other;
  for (Parameters* p : {&one, &other}) p->add("layer/w", {3, 5}, Initialiser::normal(1));
  one.initialise(1);
  other.initialise(2);
  State state;
  StateIo save = StateIo::saving(state);
  one.state(save);
  EXPECT_EQ(state.at("layer/w").shape, (std::vector<std::int64_t>{3, 5}));
  StateIo restore = StateIo::restoring(state);
  other.state(restore);
  EXPECT_TRUE(std::equal(one.buffer().begin(), one.buffer().end(), other.buffer().begin()));
}

}  // namespace
}  // namespace assay
