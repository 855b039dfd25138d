#include "nn/pass.h"

#include <gtest/gtest.h>

#include <vector>

#include "autograd/ops.h"

namespace assay {
namespace {

struct Fixture : testing::Test {
  Fixture() {
    used = parameters.add("used", {2}, Initialiser::constant(3));
    unused = parameters.add("unused", {2}, Initialiser::constant(3));
    frozen = parameters.add("frozen", {2}, Initialiser::constant(3));
    parameters.initialise(1);
    parameters.set_trainable(frozen, false);
    gradients.assign(parameters.buffer().size(), 55);
  }
  Parameters parameters;
  ParameterId used, unused, frozen;
  std::vector<float> gradients;
  Tape tape;
  Random random{1, "step"};
};

TEST_F(Fixture, AParameterUsedTwiceHasOneGradient) {
  Pass pass(tape, parameters, gradients, Mode::train, random);
  tape.backward(sum(multiply(pass.parameter(used), pass.parameter(used))));
  for (const float g : parameters.slice(gradients, used)) EXPECT_EQ(g, 6);
}

TEST_F(Fixture, CompleteGradientsZeroesWhatWasNotReachedAndLeavesFrozenAlone) {
  Pass pass(tape, parameters, gradients, Mode::train, random);
  tape.backward(sum(add(pass.parameter(used), pass.parameter(frozen))));
  pass.complete_gradients();
  for (const float g : parameters.slice(gradients, used)) EXPECT_EQ(g, 1);
  for (const float g : parameters.slice(gradients, unused)) EXPECT_EQ(g, 0);
  for (const float g : parameters.slice(gradients, frozen)) EXPECT_EQ(g, 55);
}

TEST_F(Fixture, WithoutGradientsNothingIsTrained) {
  Pass pass(tape, parameters, {}, Mode::evaluate, random);
  EXPECT_FALSE(pass.parameter(used).needs_gradient());
}

}  // namespace
}  // namespace assay
