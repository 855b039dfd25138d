#include "tensor/kernels/elementwise.h"

#include <cmath>
#include <numeric>

#include "support/kernel_targets.h"
#include "tensor/kernels/update.h"

namespace assay {
namespace {

const std::int64_t kLengths[] = {0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 64, 65, 100, 129};

using Elementwise = KernelTest;
ASSAY_ALL_TARGETS(Elementwise);

TEST_P(Elementwise, ArithmeticIsExactAtEveryLengthAndWritesNoFurther) {
  for (std::int64_t length : kLengths) {
    const auto n = static_cast<std::size_t>(length);
    const auto a = normal_numbers(length, "a"), b = normal_numbers(length, "b");
    std::vector<float> out(n + 1, 42.0F);
    add(a, b, {out.data(), false});
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], a[i] + b[i]);
    subtract(a, b, {out.data(), false});
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], a[i] - b[i]);
    multiply(a, b, {out.data(), false});
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], a[i] * b[i]);
    scale(a, 0.3F, {out.data(), false});
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], a[i] * 0.3F);
    copy(a, {out.data(), false});
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], a[i]);
    copy(b, {out.data(), true});
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], a[i] + b[i]);
    EXPECT_EQ(out[n], 42.0F);
  }
}

TEST_P(Elementwise, ARepeatedOperandMeetsEachRow) {
  const auto a = normal_numbers(5 * 19, "a"), b = normal_numbers(19, "b");
  std::vector<float> sums(a.size(), 1.0F), products(a.size());
  add_repeated(a, b, {sums.data(), true});
  multiply_repeated(a, b, {products.data(), false});
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(sums[i], 1.0F + (a[i] + b[i % 19]));
    EXPECT_EQ(products[i], a[i] * b[i % 19]);
  }
}

TEST_P(Elementwise, ColumnSumsAddTheRowsInTheirOrder) {
  for (std::int64_t width : {1, 5, 16, 33, 200}) {
    const std::int64_t rows = 37;
    const auto a = normal_numbers(rows * width, "a");
    auto out = normal_numbers(width, "out");
    std::vector<float> expected(out);
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < width; ++c)
        expected[static_cast<std::size_t>(c)] += a[static_cast<std::size_t>(r * width + c)];
    column_sums(rows, width, a.data(), {out.data(), true});
    EXPECT_EQ(out, expected);
  }
}

TEST_P(Elementwise, ColumnSumsOfProductsAgreeWithDoubles) {
  const std::int64_t rows = 50, width = 21;
  const auto a = normal_numbers(rows * width, "a"), b = normal_numbers(rows * width, "b");
  std::vector<double> expected(21);
  for (std::size_t i = 0; i < a.size(); ++i)
    expected[i % 21] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  std::vector<float> out(21);
  column_sums_of_products(rows, width, a.data(), b.data(), {out.data(), false});
  EXPECT_LT(relative_difference(out, expected), 1e-6);  // 50 roundings of 6e-8 at most
}

TEST_P(Elementwise, SumsInDoubleKeepWhatFloatsLose) {
  std::vector<float> a(1003, 1e-3F);
  a[500] = 1e9F;
  a[501] = -1e9F;
  EXPECT_NEAR(sum(a), 1001 * static_cast<double>(1e-3F), 1e-4);  // floats near 1e9 are 64 apart
  a[500] = a[501] = 0;
  EXPECT_NEAR(sum_of_squares(a), 1001 * std::pow(static_cast<double>(1e-3F), 2), 1e-12);
  a[7] = std::nanf("");
  EXPECT_TRUE(std::isnan(sum_of_squares(a)));
}

TEST_P(Elementwise, TransposeMovesEveryElement) {
  for (auto [rows, columns] : {std::pair{1, 1}, {4, 4}, {3, 9}, {16, 64}, {65, 7}, {13, 18}}) {
    const auto r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(columns);
    std::vector<float> a(2 * r * c), out(a.size(), 1.0F);
    std::iota(a.begin(), a.end(), 0.0F);
    transpose(2, rows, columns, a.data(), {out.data(), true});
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t i = 0; i < r; ++i)
        for (std::size_t j = 0; j < c; ++j)
          ASSERT_EQ(out[b * r * c + j * r + i], 1.0F + a[b * r * c + i * c + j]);
  }
}

TEST_P(Elementwise, DropoutFollowsTheDocumentedNumbers) {
  const Random random(3, "dropout", 5);
  const auto a = normal_numbers(2000, "a");
  for (std::uint64_t first : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{1} << 33}) {
    std::vector<float> out(a.size());
    dropout(a, 0.25F, random, first, {out.data(), false});
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::uint64_t number = first + i;
      const bool dropped = random.block(number / 4)[number % 4] < 0x40000000U;
      ASSERT_EQ(out[i], dropped ? 0.0F : a[i] * (1.0F / 0.75F)) << i;
    }
  }
}

TEST_P(Elementwise, DropoutDoesNotDependOnHowABufferIsCut) {
  const Random random(3, "dropout");
  const auto a = normal_numbers(1500, "a");
  std::vector<float> whole(a.size()), parts(a.size());
  dropout(a, 0.5F, random, 11, {whole.data(), false});
  for (std::size_t at = 0; at < a.size(); at += 75)
    dropout(std::span(a).subspan(at, 75), 0.5F, random, 11 + at, {parts.data() + at, false});
  EXPECT_EQ(whole, parts);
}

TEST_P(Elementwise, DropoutOfNothingCopiesAndNearOneKeepsAlmostNothing) {
  const auto a = normal_numbers(300, "a");
  std::vector<float> out(a.size());
  dropout(a, 0.0F, Random(1, "d"), 0, {out.data(), false});
  EXPECT_EQ(out, a);
  dropout(a, 0.9999999F, Random(1, "d"), 0, {out.data(), false});
  EXPECT_EQ(std::count(out.begin(), out.end(), 0.0F), 300);
}

// One step by hand (Kingma and Ba, 2015, algorithm 1): t = 1, so that both estimates equal gradient
// and its square.
TEST_P(Elementwise, TheFirstAdamStepMovesByTheStepSize) {
  AdamStep step;
  step.step_size = 0.01F / (1 - 0.9F);
  step.second_scale = 1 / std::sqrt(1 - 0.999F);
  step.decoupled_decay = 0.25F;
  for (std::int64_t length : kLengths) {
    const auto n = static_cast<std::size_t>(length);
    const auto gradient = normal_numbers(length, "g");
    std::vector<float> w(n, 2.0F), m(n), v(n);
    adam_update(step, w, gradient, m, v);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(w[i], 1.5F - std::copysign(0.01F, gradient[i]), 1e-5F);
  }
}

TEST_P(Elementwise, AdamFollowsTheFormulaOverSteps) {
  AdamStep step;
  step.l2 = 0.1F;
  std::vector<float> w = {0.5F, -1.5F, 2.0F}, m(3), v(3);
  std::vector<double> wd(w.begin(), w.end()), md(3), vd(3);
  for (int t = 1; t <= 20; ++t) {
    step.step_size = static_cast<float>(0.05 / (1 - std::pow(0.9, t)));
    step.second_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(0.999, t)));
    const auto gradient = normal_numbers(3, "g" + std::to_string(t));
    adam_update(step, w, gradient, m, v);
    for (std::size_t i = 0; i < 3; ++i) {
      const double g = static_cast<double>(gradient[i]) + 0.1 * wd[i];
      md[i] = 0.9 * md[i] + 0.1 * g;
      vd[i] = 0.999 * vd[i] + 0.001 * g * g;
      wd[i] -= 0.05 * (md[i] / (1 - std::pow(0.9, t))) /
               (std::sqrt(vd[i] / (1 - std::pow(0.999, t))) + 1e-8);
    }
  }
  EXPECT_LT(relative_difference(w, wd), 2e-5);  // beta2 = 0.999F is off by 1e-5 in 1 - beta2
}

TEST_P(Elementwise, UpdatesDoNotDependOnHowABufferIsCut) {
  const auto gradient = normal_numbers(100, "g");
  AdamStep step;
  step.step_size = 0.1F;
  auto whole = normal_numbers(100, "w"), parts = whole;
  std::vector<float> m(100), v(100), m2(100), v2(100);
  adam_update(step, whole, gradient, m, v);
  for (std::size_t at : {std::size_t{0}, std::size_t{37}}) {
    const std::size_t n = at ? 63 : 37;
    adam_update(step, std::span(parts).subspan(at, n), std::span(gradient).subspan(at, n),
                std::span(m2).subspan(at, n), std::span(v2).subspan(at, n));
  }
  EXPECT_EQ(whole, parts);
}

TEST_P(Elementwise, AddScaledAndScaleInPlace) {
  auto a = normal_numbers(40, "a");
  const auto b = normal_numbers(40, "b"), before = a;
  add_scaled(a, 0.5F, b);
  scale_in_place(a, 2.0F);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(a[i], 2 * (before[i] + 0.5F * b[i]), 1e-6F);
}

}  // namespace
}  // namespace assay
