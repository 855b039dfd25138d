#include "autograd/tape.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "autograd/ops.h"

namespace assay {
namespace {

TEST(Tape, GivesTheGradientOfAProduct) {
  Tape tape;
  std::array<float, 2> x = {2, 3}, w = {5, 7}, dx{}, dw{};
  const Tensor y = sum(
      multiply(tape.variable({2}, x.data(), dx.data()), tape.variable({2}, w.data(), dw.data())));
  tape.backward(y);
  EXPECT_EQ(y.values()[0], 31);
  EXPECT_EQ(dx, (std::array<float, 2>{5, 7}));
  EXPECT_EQ(dw, (std::array<float, 2>{2, 3}));
}

// D49: y = w (w x), w = 2, x = 1: dL/dw = 4.
TEST(Tape, AddsUpTheGradientsOfAVariableUsedTwice) {
  Tape tape;
  float w = 2, x = 1, dw = 1e30F;
  const Tensor weight = tape.variable({1}, &w, &dw);
  tape.backward(multiply(weight, multiply(weight, tape.constant({1}, {&x, 1}))));
  EXPECT_EQ(dw, 4);
}

TEST(Tape, MultipliesGradientsWithTheSeed) {
  Tape tape;
  float w = 2, dw = 0;
  tape.backward(scale(tape.variable({1}, &w, &dw), 3), 0.5F);
  EXPECT_EQ(dw, 1.5F);
}

TEST(Tape, OverwritesAGradientBufferThatWasNotCleared) {
  Tape tape;
  float w = 2, dw = 77;
  for (int pass = 0; pass < 2; ++pass) {
    tape.reset();
    tape.backward(scale(tape.variable({1}, &w, &dw), 3));
    EXPECT_EQ(dw, 3);
  }
}

TEST(Tape, LeavesTheGradientOfAnUnusedVariableAlone) {
  Tape tape;
  float w = 2, dw = 77, u = 1, du = 0;
  const Tensor unused = tape.variable({1}, &w, &dw);
  tape.backward(scale(tape.variable({1}, &u, &du), 3));
  EXPECT_EQ(dw, 77);
  EXPECT_TRUE(unused.gradient().empty());
}

TEST(Tape, KeepsNothingWhereNothingIsTrained) {
  Tape tape;
  float w = 2;
  const Tensor y = scale(tape.variable({1}, &w, nullptr), 3);
  EXPECT_FALSE(y.needs_gradient());
  tape.backward(y);
  EXPECT_TRUE(y.gradient().empty());
}

TEST(Tape, RecordsNothingWhenToldSo) {
  Tape tape(false);
  float w = 2, dw = 77;
  const Tensor y = scale(tape.variable({1}, &w, &dw), 3);
  tape.backward(y);
  EXPECT_EQ(y.values()[0], 6);
  EXPECT_EQ(dw, 77);
}

// add passes the buffer of its gradient on to its first input; the second, and other uses, must not
// see that.
TEST(Tape, PassesGradientsOnWithoutMixingThem) {
  Tape tape;
  std::array<float, 2> a = {1, 2}, b = {3, 4}, da{}, db{};
  const Tensor x = scale(tape.variable({2}, a.data(), da.data()), 1);
  const Tensor y = scale(tape.variable({2}, b.data(), db.data()), 1);
  const Tensor both = add(x, y);
  const Tensor later = add(both, x);
  tape.backward(sum(multiply(later, both)));  // (2 x + y)(x + y)
  EXPECT_EQ(da, (std::array<float, 2>{4 * 1 + 3 * 3, 4 * 2 + 3 * 4}));
  EXPECT_EQ(db, (std::array<float, 2>{3 * 1 + 2 * 3, 3 * 2 + 2 * 4}));
}

TEST(Tape, TakesNoMoreMemoryInTheSecondPass) {
  Tape tape;
  std::vector<float> x(1000, 1), dx(1000);
  const auto pass = [&] {
    tape.reset();
    const Tensor t = tape.variable({10, 100}, x.data(), dx.data());
    tape.backward(sum(multiply(tanh(t), softmax(t))));
    return tape.arena().peak_bytes();
  };
  const std::size_t first = pass();
  EXPECT_EQ(pass(), first);
}

TEST(Tape, CountsTheOperationsOfProducts) {
  Tape tape;
  std::vector<float> x(6, 1), w(12, 1), dw(12);
  const Tensor y =
      linear(tape.variable({2, 3}, x.data(), nullptr), tape.variable({3, 4}, w.data(), dw.data()));
  EXPECT_EQ(tape.flops(), 2 * 2 * 3 * 4);
  tape.backward(sum(y));
  EXPECT_EQ(tape.flops(), 2 * 2 * 2 * 3 * 4);  // dw, and no dx
  tape.reset();
  EXPECT_EQ(tape.flops(), 0);
}

}  // namespace
}  // namespace assay
