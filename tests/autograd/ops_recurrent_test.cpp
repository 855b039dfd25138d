// Recurrent layers: PyTorch's numbers, the forms of the GRU, gradients, padding.
#include "autograd/ops_recurrent.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/golden.h"
#include "support/grad_check.h"
#include "support/thrown.h"

namespace assay {
namespace {

// x through the input matrix and one layer, as PyTorch's modules have it.
void check_golden(const std::string& name, RecurrentCell cell) {
  const Golden golden(name);
  GoldenArray x = golden.array("x");
  const GoldenArray upstream = golden.array("upstream");
  const auto parameter = [&](const char* which, const char* path) {
    return Golden::array_of(golden.json().at(which).at(path));
  };
  const char* paths[] = {"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"};
  std::vector<GoldenArray> values;
  std::vector<std::vector<float>> gradients;
  for (const char* path : paths) {
    const GoldenArray array = parameter("parameters", path);
    values.push_back(array.shape.rank() == 2 ? transposed(array) : array);
    gradients.emplace_back(array.values.size());
  }
  std::vector<float> dx(x.values.size());
  Tape tape;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < values.size(); ++i)
    tensors.push_back(tape.variable(values[i].shape, values[i].values.data(), gradients[i].data()));
  RecurrentInput input;
  input.x = linear(tape.variable(x.shape, x.values.data(), dx.data()), tensors[0], tensors[2]);
  input.w = tensors[1], input.bias = tensors[3];
  const Tensor y = recurrent(cell, input).y;
  expect_close(y.values(), golden.array("y").values, kForwardTolerance, name);
  tape.backward(sum(multiply(y, tape.constant(upstream.shape, upstream.values))));
  expect_close(dx, golden.array("grad_x").values, kGradientTolerance, name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const GoldenArray array = parameter("gradients", paths[i]);
    expect_close(gradients[i], (array.shape.rank() == 2 ? transposed(array) : array).values,
                 kGradientTolerance, name + " " + paths[i]);
  }
}

TEST(GoldenRecurrent, Elman) {
  check_golden("rnn", RecurrentCell::elman);
}
TEST(GoldenRecurrent, Lstm) {
  check_golden("lstm", RecurrentCell::lstm);
}
TEST(GoldenRecurrent, Gru) {
  check_golden("gru", RecurrentCell::gru);
}

// One unit, x = 1 twice, from h = 0.5.
std::vector<float> one_unit_gru(RecurrentCell cell, std::vector<float> w) {
  std::vector<float> wi = {0.5F, -0.3F, 0.8F}, bi = {0.1F, 0, 0.2F}, bh = {0, 0.7F, 0.3F};
  std::vector<float> x = {1, 1}, h = {0.5F};
  Tape tape(false);
  const auto leaf = [&](const Shape& shape, std::vector<float>& v) {
    return tape.variable(shape, v.data(), nullptr);
  };
  RecurrentInput input;
  input.x = linear(leaf({1, 2, 1}, x), leaf({1, 3}, wi), leaf({3}, bi));
  input.w = leaf({1, 3}, w), input.bias = leaf({3}, bh);
  input.initial.hidden = leaf({1, 1}, h);
  const auto y = recurrent(cell, input).y.values();
  return {y.begin(), y.end()};
}

TEST(Gru, ResetsAfterTheProductAsPyTorchDoes) {
  const auto y = one_unit_gru(RecurrentCell::gru, {0.2F, 0.4F, -0.6F});
  EXPECT_NEAR(y[0], 0.592694239491, 2e-7);
  EXPECT_NEAR(y[1], 0.645529691380, 2e-7);
}

TEST(Gru, ResetsBeforeTheProductAsItsAuthorsDo) {
  const auto y = one_unit_gru(RecurrentCell::gru_reset_before, {0.2F, 0.4F, -0.6F});
  EXPECT_NEAR(y[0], 0.606421829904, 2e-7);
}

struct Form {
  RecurrentCell cell;
  bool reverse, masked;
};
constexpr Form kForms[] = {{RecurrentCell::elman, false, false},
                           {RecurrentCell::elman, true, true},
                           {RecurrentCell::lstm, false, true},
                           {RecurrentCell::lstm, true, false},
                           {RecurrentCell::gru, false, true},
                           {RecurrentCell::gru, true, false},
                           {RecurrentCell::gru_reset_before, false, true},
                           {RecurrentCell::gru_reset_before, true, false}};

class RecurrentForms : public testing::TestWithParam<Form> {
 protected:
  static constexpr std::int64_t kRows = 2, kSteps = 3, kUnits = 2;
  const std::vector<std::uint8_t> mask_ = {1, 1, 0, 0, 1, 1};
  const std::int64_t columns_ = gates_of(GetParam().cell) * kUnits;
  std::vector<CheckedInput> inputs() const {
    std::vector<CheckedInput> list = {
        random_input({kRows, kSteps, columns_}, 1), random_input({kUnits, columns_}, 2),
        random_input({columns_}, 3), random_input({kRows, kUnits}, 4)};
    for (CheckedInput& input : list)
      for (float& v : input.values) v *= 0.5F;
    if (GetParam().cell == RecurrentCell::lstm) list.push_back(random_input({kRows, kUnits}, 5));
    return list;
  }
  Recurrent apply(const std::vector<Tensor>& in) const {
    RecurrentInput input = {in[0], in[1], in[2], {in[3], {}}, {}, GetParam().reverse};
    if (in.size() > 4) input.initial.cell = in[4];
    if (GetParam().masked) input.mask = mask_;
    return recurrent(GetParam().cell, input);
  }
};
INSTANTIATE_TEST_SUITE_P(All, RecurrentForms, testing::ValuesIn(kForms));

TEST_P(RecurrentForms, GradientOfTheSequence) {
  check_gradients(inputs(), [&](const std::vector<Tensor>& in) { return apply(in).y; });
}

TEST_P(RecurrentForms, GradientOfTheLastStateAlone) {
  check_gradients(inputs(), [&](const std::vector<Tensor>& in) { return apply(in).last.hidden; });
  if (GetParam().cell == RecurrentCell::lstm)
    check_gradients(inputs(), [&](const std::vector<Tensor>& in) { return apply(in).last.cell; });
}

TEST_P(RecurrentForms, GradientOfSequenceAndLastStateTogether) {
  check_gradients(inputs(), [&](const std::vector<Tensor>& in) {
    const Recurrent r = apply(in);
    const Tensor last = scale(sum(multiply(r.last.hidden, r.last.hidden)), 1.5F);
    return r.last.cell ? add(add(sum(r.y), last), sum(r.last.cell)) : add(sum(r.y), last);
  });
}

TEST(Recurrent, ErrorsCarryBothShapes) {
  Tape tape;
  const auto zeros = [&](const Shape& shape) {
    return tape.constant(shape, std::vector<float>(static_cast<std::size_t>(shape.elements())));
  };
  EXPECT_EQ(thrown([&] {
              recurrent(RecurrentCell::lstm, {zeros({2, 3, 8}), zeros({4, 16}), Tensor()});
            }),
            "[3] [recurrent] (2, 3, 8) x (4, 16): wanted [B, N, 4 H] and [H, 4 H] for the 4 gates");
  RecurrentInput input = {zeros({2, 3, 4}), zeros({4, 4}), Tensor()};
  const std::vector<std::uint8_t> mask(5, 1);
  input.mask = mask;
  EXPECT_EQ(thrown([&] { recurrent(RecurrentCell::elman, input); }),
            "[3] [recurrent] (2, 3, 4): the mask has 5 marks");
}

}  // namespace
}  // namespace assay
