#include "tensor/kernels/cross_entropy.h"

#include <cmath>

#include "support/kernel_targets.h"
#include "tensor/kernels/embedding.h"

namespace assay {
namespace {

using CrossEntropyKernel = KernelTest;
ASSAY_ALL_TARGETS(CrossEntropyKernel);

struct Expected {
  double loss = 0;
  std::vector<double> gradient;
};
Expected plain(const CrossEntropy& p, double seed) {
  Expected e;
  for (std::int64_t r = 0; r < p.rows; ++r) {
    const float* x = p.logits + r * p.classes;
    const std::int32_t target = p.targets[static_cast<std::size_t>(r)];
    const double weight =
        p.weights.empty() ? 1 : static_cast<double>(p.weights[static_cast<std::size_t>(r)]);
    double total = 0;
    double all = 0;
    for (std::int64_t k = 0; k < p.classes; ++k) {
      total += std::exp(static_cast<double>(x[k]));
      all += static_cast<double>(x[k]);
    }
    const double kept = 1 - static_cast<double>(p.smoothing);
    const double share = static_cast<double>(p.smoothing) / static_cast<double>(p.classes);
    if (target >= 0)
      e.loss += weight * (std::log(total) - kept * static_cast<double>(x[target]) - share * all);
    for (std::int64_t k = 0; k < p.classes; ++k)
      e.gradient.push_back(target < 0 ? 0.0
                                      : seed * weight *
                                            (std::exp(static_cast<double>(x[k])) / total -
                                             kept * (k == target) - share));
  }
  return e;
}

TEST_P(CrossEntropyKernel, AgreesWithDoublesForAnyNumberOfClasses) {
  for (std::int64_t classes : {1, 2, 13, 16, 65, 300}) {
    const std::int64_t rows = 300;  // more than one block of rows
    const auto logits = normal_numbers(rows * classes, "logits");
    std::vector<std::int32_t> targets;
    for (std::int64_t r = 0; r < rows; ++r)
      targets.push_back(r % 5 == 2 ? -1 : static_cast<std::int32_t>(r % classes));
    const auto weights = normal_numbers(rows, "weights");
    for (bool weighted : {false, true})
      for (const float smoothing : {0.0F, 0.3F}) {
        CrossEntropy p;
        p.smoothing = smoothing;
        p.rows = rows, p.classes = classes, p.logits = logits.data(), p.targets = targets;
        if (weighted) p.weights = weights;
        const Expected e = plain(p, 0.5);
        std::vector<float> lse(300), d(logits.size(), 9.0F), added(logits.size(), 1.0F);
        const double loss = cross_entropy_forward(p, lse.data());
        EXPECT_EQ(loss, cross_entropy_forward(p, nullptr));
        EXPECT_NEAR(loss, e.loss, 1e-6 * rows);
        cross_entropy_backward(p, lse.data(), 0.5F, {d.data(), false});
        EXPECT_LT(relative_difference(d, e.gradient), classes == 1 ? 1e30 : 3e-6);
        cross_entropy_backward(p, lse.data(), 0.5F, {added.data(), true});
        for (std::size_t i = 0; i < added.size(); ++i) ASSERT_NEAR(added[i], 1 + d[i], 1e-6F);
      }
  }
}

TEST_P(CrossEntropyKernel, RowsInParallelGiveTheSameBits) {
  const std::int64_t rows = 64, classes = 50257;
  const auto logits = normal_numbers(classes + 64, "logits");
  std::vector<float> all;
  for (std::int64_t r = 0; r < rows; ++r)
    all.insert(all.end(), logits.begin() + r, logits.begin() + r + classes);
  const std::vector<std::int32_t> targets(64, 1234);
  CrossEntropy p;
  p.rows = rows, p.classes = classes, p.logits = all.data(), p.targets = targets;
  std::vector<float> lse(64), one(1);
  const double loss = cross_entropy_forward(p, lse.data());
  double sum = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    CrossEntropy row = p;
    row.rows = 1, row.logits = p.logits + r * classes, row.targets = p.targets.first(1);
    sum += cross_entropy_forward(row, one.data());
    EXPECT_EQ(one[0], lse[static_cast<std::size_t>(r)]);
  }
  EXPECT_EQ(loss, sum);
}

TEST_P(CrossEntropyKernel, HugeLogitsDoNotOverflowAndNaNIsSeen) {
  std::vector<float> logits = {1e4F, -1e4F, 0.0F};
  const std::vector<std::int32_t> targets = {1};
  CrossEntropy p;
  p.rows = 1, p.classes = 3, p.logits = logits.data(), p.targets = targets;
  EXPECT_EQ(cross_entropy_forward(p, nullptr), 2e4);
  logits[2] = std::nanf("");
  EXPECT_TRUE(std::isnan(cross_entropy_forward(p, nullptr)));
}

using EmbeddingKernel = KernelTest;
ASSAY_ALL_TARGETS(EmbeddingKernel);

TEST_P(EmbeddingKernel, GatherTakesRowsAndScatterAddsThemBackInOrder) {
  const std::vector<std::int32_t> ids = {2, 0, -1, 2};
  const auto table = normal_numbers(3 * 19, "table"), d = normal_numbers(4 * 19, "d");
  std::vector<float> out(4 * 19, 5.0F), dtable(3 * 19, 5.0F);
  gather_rows(table.data(), 19, ids, out.data());
  scatter_add_rows(d.data(), 19, ids, 3, {dtable.data(), false});
  for (std::size_t i = 0; i < 19; ++i) {
    EXPECT_EQ(out[i], table[38 + i]);
    EXPECT_EQ(out[19 + i], table[i]);
    EXPECT_EQ(out[38 + i], 0.0F);
    EXPECT_EQ(dtable[i], d[19 + i]);
    EXPECT_EQ(dtable[19 + i], 0.0F);
    EXPECT_EQ(dtable[38 + i], d[i] + d[57 + i]);
  }
}

}  // namespace
}  // namespace assay
