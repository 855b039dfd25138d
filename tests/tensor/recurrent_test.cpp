#include "tensor/kernels/recurrent.h"

#include <functional>
#include <numeric>

#include "support/kernel_targets.h"
#include "support/plain_recurrent.h"

namespace assay {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

constexpr RecurrentCell kCells[] = {RecurrentCell::elman, RecurrentCell::lstm, RecurrentCell::gru,
                                    RecurrentCell::gru_reset_before};

// One recurrence on random numbers, through the kernels and as plain loops.
struct RecurrentCase {
  RecurrentCell cell;
  std::size_t rows, steps, units;
  bool reverse, masked;
  std::size_t columns = static_cast<std::size_t>(gates_of(cell)) * units;
  Floats x = numbers(rows * steps * columns, "x"), w = numbers(units * columns, "w", 0.3F),
         bias = numbers(columns, "bias"), hidden = numbers(rows * units, "hidden", 0.5F),
         carried = numbers(cell == RecurrentCell::lstm ? rows * units : 0, "carried");
  std::vector<std::uint8_t> mask = {};

  static Floats numbers(std::size_t count, const char* name, float size = 1) {
    Floats v = normal_numbers(static_cast<std::int64_t>(count), name);
    for (float& f : v) f *= size;
    return v;
  }

  void draw_mask() {
    const Random random(3, "mask");
    for (std::size_t i = 0; masked && i < rows * steps; ++i) mask.push_back(random.below(i, 3) > 0);
  }

  Recurrence recurrence() const {
    Recurrence r;
    r.cell = cell, r.rows = rows, r.steps = steps, r.units = units, r.reverse = reverse;
    r.mask = mask.empty() ? nullptr : mask.data();
    r.w = w.data(), r.bias = bias.data();
    return r;
  }

  plain::RecurrentNumbers plain() const {
    const auto doubles = [](const Floats& v) { return Doubles(v.begin(), v.end()); };
    return {cell,       rows,       steps,         units,           reverse,         mask,
            doubles(x), doubles(w), doubles(bias), doubles(hidden), doubles(carried)};
  }

  std::string text() const {
    return "cell " + std::to_string(static_cast<int>(cell)) + ": " + std::to_string(rows) + " x " +
           std::to_string(steps) + ", " + std::to_string(units) + " units" +
           (reverse ? ", reversed" : "") + (masked ? ", masked" : "");
  }
};

std::vector<RecurrentCase> cases() {
  std::vector<RecurrentCase> all;
  for (const RecurrentCell cell : kCells)
    for (const auto& [rows, steps, units] :
         {std::array<std::size_t, 3>{1, 1, 1}, {3, 4, 5}, {13, 3, 16}, {2, 5, 37}, {16, 2, 64}})
      for (const bool other : {false, true}) {
        all.push_back({cell, rows, steps, units, other, other});
        all.back().draw_mask();
      }
  return all;
}

// What the kernels make of a case.
struct Computed {
  Floats states, cells, gates, inner, y, hidden, carried;
  Workspace workspace;

  template <class T>
  static auto pointer(T& v) {
    return v.empty() ? nullptr : v.data();
  }

  explicit Computed(const RecurrentCase& c) {
    const std::size_t state = c.rows * c.units;
    states.resize((c.steps + 1) * state);
    cells.resize(states.size());
    gates.resize(c.steps * c.rows * c.columns);
    inner.resize(c.steps * state);
    y.resize(inner.size());
    hidden.resize(state);
    carried.resize(c.carried.size());
    recurrent_forward(c.recurrence(), c.x.data(), {c.hidden.data(), pointer(c.carried)}, trace(c),
                      y.data(), {hidden.data(), pointer(carried)}, workspace);
  }
  RecurrentTrace trace(const RecurrentCase& c) {
    if (c.cell == RecurrentCell::elman) return {states.data(), nullptr, nullptr, nullptr};
    return {states.data(), c.cell == RecurrentCell::lstm ? cells.data() : nullptr, gates.data(),
            inner.data()};
  }
};

using RecurrentKernel = KernelTest;
ASSAY_ALL_TARGETS(RecurrentKernel);

TEST_P(RecurrentKernel, ForwardAgreesWithDoubles) {
  for (const RecurrentCase& c : cases()) {
    const auto expected = plain::recurrent(c.plain());
    const Computed got(c);
    EXPECT_LT(relative_difference(got.y, expected.y), 3e-6) << c.text();
    EXPECT_LT(relative_difference(got.hidden, expected.hidden), 3e-6) << c.text();
    if (!got.carried.empty()) {
      EXPECT_LT(relative_difference(got.carried, expected.carried), 3e-6) << c.text();
    }
  }
}

// Gradients of a sum of all results with random factors.
struct Gradients {
  Floats dy, dhidden_last, dcarried_last, products, dx, dhidden, dcarried;

  Gradients(const RecurrentCase& c, Computed& computed)
      : dy(RecurrentCase::numbers(computed.y.size(), "dy")),
        dhidden_last(RecurrentCase::numbers(computed.hidden.size(), "dhidden")),
        dcarried_last(RecurrentCase::numbers(computed.carried.size(), "dcarried")),
        products(c.rows * c.steps * c.columns),
        dx(c.x.size()),
        dhidden(c.hidden.size()),
        dcarried(c.carried.size()) {
    go(c, computed, false);
  }
  void go(const RecurrentCase& c, Computed& computed, bool accumulate) {
    recurrent_backward(c.recurrence(), computed.trace(c), dy.data(),
                       {dhidden_last.data(), Computed::pointer(dcarried_last)}, products.data(),
                       {dx.data(), accumulate},
                       {{dhidden.data(), accumulate}, {Computed::pointer(dcarried), accumulate}},
                       computed.workspace);
  }
  // The derivative of the sum by differences of the plain loops, as one input moves along its
  // gradient's direction.
  double difference(const RecurrentCase& c, Doubles plain::RecurrentNumbers::*input,
                    const Floats& direction) const {
    const auto total = [&](double step) {
      plain::RecurrentNumbers moved = c.plain();
      for (std::size_t i = 0; i < direction.size(); ++i)
        (moved.*input)[i] += step * static_cast<double>(direction[i]);
      const auto out = plain::recurrent(moved);
      const auto weighted = [](const Doubles& v, const Floats& factors) {
        return std::inner_product(factors.begin(), factors.end(), v.begin(), 0.0,
                                  std::plus<double>(), [](float a, double b) { return a * b; });
      };
      return weighted(out.y, dy) + weighted(out.hidden, dhidden_last) +
             weighted(out.carried, dcarried_last);
    };
    return (8 * (total(1e-4) - total(-1e-4)) - (total(2e-4) - total(-2e-4))) / 12e-4;
  }
};

TEST_P(RecurrentKernel, BackwardAgreesWithDifferencesOfDoubles) {
  for (const RecurrentCase& c : cases()) {
    Computed computed(c);
    const Gradients g(c, computed);
    const auto check = [&](const char* what, Doubles plain::RecurrentNumbers::*input,
                           const Floats& gradient) {
      const Floats direction = RecurrentCase::numbers(gradient.size(), what);
      double derivative = 0, size = 1e-3;
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        derivative += double{gradient[i]} * direction[i];
        size += std::abs(double{gradient[i]} * direction[i]);
      }
      EXPECT_NEAR(derivative, g.difference(c, input, direction), 1e-5 * size)
          << c.text() << ", " << what;
    };
    check("x", &plain::RecurrentNumbers::x, g.dx);
    check("hidden", &plain::RecurrentNumbers::hidden, g.dhidden);
    if (!c.carried.empty()) check("carried", &plain::RecurrentNumbers::carried, g.dcarried);
    Floats dbias(c.columns), dw(c.w.size());
    const std::size_t all = c.rows * c.steps;
    for (std::size_t row = 0; row < all; ++row)
      for (std::size_t column = 0; column < c.columns; ++column) {
        const float d = g.products[row * c.columns + column];
        dbias[column] += d;
        const bool of_reset = c.cell == RecurrentCell::gru_reset_before && column >= 2 * c.units;
        const Floats& factor = of_reset ? computed.inner : computed.states;
        for (std::size_t k = 0; k < c.units; ++k)
          dw[k * c.columns + column] += factor[row * c.units + k] * d;
      }
    check("bias", &plain::RecurrentNumbers::bias, dbias);
    check("w", &plain::RecurrentNumbers::w, dw);
  }
}

TEST_P(RecurrentKernel, BackwardAddsWhereTold) {
  for (const RecurrentCase& c : cases()) {
    Computed computed(c);
    Gradients g(c, computed);
    const Gradients once = g;
    g.go(c, computed, true);
    for (std::size_t i = 0; i < g.dx.size(); ++i) ASSERT_EQ(g.dx[i], 2 * once.dx[i]) << c.text();
    for (std::size_t i = 0; i < g.dhidden.size(); ++i)
      ASSERT_EQ(g.dhidden[i], 2 * once.dhidden[i]) << c.text();
    for (std::size_t i = 0; i < g.dcarried.size(); ++i)
      ASSERT_EQ(g.dcarried[i], 2 * once.dcarried[i]) << c.text();
  }
}

TEST_P(RecurrentKernel, ARowDoesNotDependOnTheOthers) {
  for (const RecurrentCase& c : cases()) {
    if (c.rows == 1) continue;
    const Computed all(c);
    RecurrentCase first = c;
    first.rows = 1;
    const Computed alone(first);
    EXPECT_TRUE(std::equal(alone.y.begin(), alone.y.end(), all.y.begin())) << c.text();
  }
}

TEST_P(RecurrentKernel, PaddingIsNotRead) {
  for (RecurrentCase c : cases()) {
    if (!c.masked) continue;
    const Computed before(c);
    for (std::size_t i = 0; i < c.mask.size(); ++i)
      if (!c.mask[i])
        std::fill_n(c.x.begin() + static_cast<std::ptrdiff_t>(i * c.columns), c.columns,
                    std::nanf(""));
    const Computed after(c);
    EXPECT_EQ(before.y, after.y) << c.text();
    EXPECT_EQ(before.hidden, after.hidden) << c.text();
  }
}

}  // namespace
}  // namespace assay
