#include "tensor/kernels/matmul.h"

#include <cmath>

#include "base/parallel.h"
#include "support/kernel_targets.h"
#include "support/plain_kernels.h"
#include "tensor/kernels/target.h"

namespace assay {
namespace {

struct Operands {
  std::vector<float> a, b, bias, addend;
  Operands(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1)
      : a(normal_numbers(batch * m * k, "a")),
        b(normal_numbers(batch * k * n, "b")),
        bias(normal_numbers(n, "bias")),
        addend(normal_numbers(batch * m * n, "addend")) {}
  Matmul product(std::int64_t m, std::int64_t n, std::int64_t k) const {
    Matmul p;
    p.m = m, p.n = n, p.k = k, p.a = a.data(), p.b = b.data();
    return p;
  }
};

double error_of(Matmul p, Workspace& workspace) {
  std::vector<float> c = normal_numbers(p.m * p.n, "c");
  const auto expected = plain::matmul(p, c);
  p.c = c.data();
  matmul(p, workspace);
  return relative_difference(c, expected);
}

// Sums of k products in float32: k roundings of 6e-8, which mostly cancel.
constexpr double kTolerance = 2e-6;

using MatmulKernel = KernelTest;
ASSAY_ALL_TARGETS(MatmulKernel);

TEST_P(MatmulKernel, EveryCombinationOfLayoutAndTermsAgreesWithDoubles) {
  Workspace workspace;
  for (auto [m, n, k] : {std::array{1, 1, 1},
                         {5, 7, 3},
                         {64, 65, 64},
                         {33, 64, 65},
                         {1, 64, 256},
                         {3, 1, 40},
                         {64, 16, 300}}) {
    const Operands o(m, n, k);
    for (int layout = 0; layout < 4; ++layout) {
      Matmul p = o.product(m, n, k);
      p.transpose_a = layout & 1;
      p.transpose_b = layout & 2;
      EXPECT_LT(error_of(p, workspace), kTolerance)
          << m << " " << n << " " << k << " layout " << layout;
      p.bias = o.bias.data();
      EXPECT_LT(error_of(p, workspace), kTolerance) << m << " " << n << " " << k << " bias";
      p.gelu = true;
      EXPECT_LT(error_of(p, workspace), kTolerance) << m << " " << n << " " << k << " gelu";
      p.gelu = false;
      p.addend = o.addend.data();
      EXPECT_LT(error_of(p, workspace), kTolerance) << m << " " << n << " " << k << " addend";
      p.addend = nullptr;
      p.accumulate = true;
      EXPECT_LT(error_of(p, workspace), kTolerance) << m << " " << n << " " << k << " accumulate";
      p.bias = nullptr;
      EXPECT_LT(error_of(p, workspace), kTolerance)
          << m << " " << n << " " << k << " accumulate only";
    }
  }
}

TEST_P(MatmulKernel, NoTermsLeaveWhatIsAdded) {
  Workspace workspace;
  const Operands o(3, 5, 0);
  Matmul p = o.product(3, 5, 0);
  p.bias = o.bias.data();
  EXPECT_EQ(error_of(p, workspace), 0);
  p.bias = nullptr;
  p.accumulate = true;
  EXPECT_EQ(error_of(p, workspace), 0);
  p = o.product(0, 5, 0);
  matmul(p, workspace);
}

TEST_P(MatmulKernel, StridesReachIntoWiderRows) {
  Workspace workspace;
  const auto a = normal_numbers(9 * 20, "a"), b = normal_numbers(6 * 30, "b");
  std::vector<float> c(9 * 17, 7.0F);
  Matmul p;
  p.m = 9, p.n = 8, p.k = 6;
  p.a = a.data() + 2, p.lda = 20;
  p.b = b.data() + 3, p.ldb = 30;
  const auto expected = plain::matmul(p, {});
  p.c = c.data(), p.ldc = 17;
  matmul(p, workspace);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 17; ++j) {
      if (j < 8)
        EXPECT_NEAR(c[i * 17 + j], expected[i * 8 + j], 1e-5);
      else
        EXPECT_EQ(c[i * 17 + j], 7.0F);
    }
}

TEST_P(MatmulKernel, ABatchIsEachProductByItself) {
  Workspace workspace;
  const Operands o(6, 5, 4, 3);
  Matmul p = o.product(6, 5, 4);
  p.batch = 3;
  std::vector<float> all(3 * 30), one(30);
  p.c = all.data();
  matmul(p, workspace);
  for (int i = 0; i < 3; ++i) {
    Matmul q = o.product(6, 5, 4);
    q.a += i * 24, q.b += i * 20, q.c = one.data();
    matmul(q, workspace);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + i * 30));
  }
}

TEST_P(MatmulKernel, NotANumberAndInfinityPropagate) {
  Workspace workspace;
  Operands o(4, 20, 10);
  o.a[3] = std::nanf("");
  o.a[13] = std::numeric_limits<float>::infinity();
  std::vector<float> c(80);
  Matmul p = o.product(4, 20, 10);
  p.c = c.data();
  matmul(p, workspace);
  EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[19]));
  EXPECT_TRUE(std::isinf(c[20]) && std::isinf(c[39]));
  EXPECT_TRUE(std::isfinite(c[40]));
}

TEST_P(MatmulKernel, ALargeProductHasTheSameBitsOnAnyNumberOfThreads) {
  const std::int64_t m = 300, n = 530, k = 210;  // four tiles, some of them narrow
  const Operands o(m, n, k);
  Matmul p = o.product(m, n, k);
  p.bias = o.bias.data();
  std::vector<float> first;
  for (int threads : {1, 2, 4}) {
    Workspace workspace;
    std::vector<float> c(static_cast<std::size_t>(m * n));
    p.c = c.data();
    Pool pool(threads);
    pool.run([&] { matmul(p, workspace); });
    if (first.empty()) {
      first = c;
      EXPECT_LT(relative_difference(c, plain::matmul(p, {})), kTolerance);
    }
    EXPECT_EQ(c, first) << threads;
  }
}

TEST_P(MatmulKernel, ARowDoesNotDependOnHowManyThereAre) {
  Workspace workspace;
  for (auto [n, k] : {std::pair{64, 64}, {65, 64}, {256, 64}, {64, 256}}) {
    const Operands o(96, n, k);
    std::vector<float> all(static_cast<std::size_t>(96 * n)),
        part(static_cast<std::size_t>(32 * n));
    Matmul p = o.product(96, n, k);
    p.c = all.data();
    matmul(p, workspace);
    p.m = 32, p.a += 32 * k, p.c = part.data();
    matmul(p, workspace);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 32 * n)) << n << " " << k;
  }
}

// Beyond 40 MFLOP oneDNN multiplies; its terms are post-operations.
TEST(LargeMatmul, EveryCombinationOfLayoutAndTermsAgreesWithDoubles) {
  Workspace workspace;
  const std::int64_t m = 130, n = 160, k = 1000;
  const Operands o(m, n, k);
  const auto start = normal_numbers(m * n, "c");
  for (int layout = 0; layout < 4; ++layout) {
    Matmul p = o.product(m, n, k);
    p.transpose_a = layout & 1;
    p.transpose_b = layout & 2;
    const auto products = plain::matmul(p, {});
    for (int terms = 0; terms < 16; ++terms) {
      p.bias = terms & 1 ? o.bias.data() : nullptr;
      p.addend = terms & 2 ? o.addend.data() : nullptr;
      p.accumulate = terms & 4;
      p.gelu = terms & 8;
      if ((p.accumulate && (p.addend || p.gelu)) || (p.addend && p.gelu)) continue;
      auto c = start;
      p.c = c.data();
      matmul(p, workspace);
      auto expected = products;
      for (std::size_t i = 0; i < c.size(); ++i) {
        if (p.bias) expected[i] += static_cast<double>(o.bias[i % static_cast<std::size_t>(n)]);
        if (p.addend) expected[i] += static_cast<double>(o.addend[i]);
        if (p.accumulate) expected[i] += static_cast<double>(start[i]);
        if (p.gelu) expected[i] = plain::gelu(expected[i]);
      }
      EXPECT_LT(relative_difference(c, expected), kTolerance)
          << "layout " << layout << " terms " << terms;
    }
  }
}

}  // namespace
}  // namespace assay
