#include "tensor/kernels/attention.h"

#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "support/kernel_targets.h"
#include "support/plain_kernels.h"

namespace assay {
namespace {

// q, k, v, their problem, and room for results, all dense.
struct Case {
  Attention p;
  std::vector<float> q, k, v, dout;
  std::vector<float> out, log_sum_exp, weights, dq, dk, dv, bias, dbias;

  /// sharing: heads of queries for each of keys.
  Case(std::int64_t b, std::int64_t n, std::int64_t m, std::int64_t h, std::int64_t w,
       std::int64_t sharing = 1)
      : q(normal_numbers(b * n * h * w, "q")),
        k(normal_numbers(b * m * h / sharing * w, "k")),
        v(normal_numbers(b * m * h / sharing * w, "v")),
        dout(normal_numbers(b * n * h * w, "dout")) {
    p.batch = b, p.queries = n, p.keys = m, p.heads = h, p.head_width = w;
    p.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(w)));
    p.sharing = sharing;
  }
  void add_bias() {
    p.bias.reach = attention_reach(p.queries, p.keys);
    bias = normal_numbers(p.heads * 2 * p.bias.reach, "bias");
    p.bias.values = bias.data();
  }
  std::int64_t row() const { return p.heads * p.head_width; }
  HeadRows rows(const std::vector<float>& x, std::int64_t count) const {
    return {x.data(), row(), count * row()};
  }
  HeadRowsInto into(std::vector<float>& x, std::int64_t count, bool accumulate) const {
    return {{x.data(), accumulate}, row(), count * row()};
  }
  void connect() {
    const std::int64_t key_row = row() / p.sharing;
    p.q = rows(q, p.queries);
    p.k = {k.data(), key_row, p.keys * key_row}, p.v = {v.data(), key_row, p.keys * key_row};
  }
  void run(Workspace& workspace, bool accumulate = false) {
    connect();
    const auto fill = [&](std::vector<float>& x, std::size_t count) {
      x.assign(count, accumulate ? 1.0F : 99.0F);
    };
    out.assign(q.size(), 99.0F);
    log_sum_exp.assign(static_cast<std::size_t>(p.batch * p.heads * p.queries), 99.0F);
    weights.assign(log_sum_exp.size() * static_cast<std::size_t>(p.keys), 99.0F);
    const std::size_t wide = k.size() * static_cast<std::size_t>(p.sharing);
    fill(dq, q.size()), fill(dk, wide), fill(dv, wide);
    dbias.assign(bias.size(), 0);
    attention_forward(p, into(out, p.queries, false), log_sum_exp.data(), weights.data(),
                      workspace);
    attention_backward(p, {rows(out, p.queries), rows(dout, p.queries), log_sum_exp.data()},
                       into(dq, p.queries, accumulate), into(dk, p.keys, accumulate),
                       into(dv, p.keys, accumulate), workspace,
                       bias.empty() ? nullptr : dbias.data());
  }
  // Against doubles. Weights and sums of up to some hundred terms: 1e-5 of the largest number.
  void check() {
    connect();
    const auto e = plain::attention(p, dout);
    EXPECT_LT(relative_difference(out, e.out), 1e-5) << text();
    EXPECT_LT(relative_difference(weights, e.weights), 1e-5) << text();
    EXPECT_LT(relative_difference(dq, e.dq), 1e-5) << text();
    EXPECT_LT(relative_difference(dk, e.dk), 1e-5) << text();
    EXPECT_LT(relative_difference(dv, e.dv), 1e-5) << text();
    if (!bias.empty()) {
      EXPECT_LT(relative_difference(dbias, e.dbias), 1e-5) << text();
    }
    for (std::size_t i = 0; i < log_sum_exp.size(); ++i)
      if (log_sum_exp[i] != -HUGE_VALF) {
        ASSERT_NEAR(log_sum_exp[i], e.log_sum_exp[i], 1e-5) << text();
      }
  }
  std::string text() const {
    return "B N M H W = " + std::to_string(p.batch) + " " + std::to_string(p.queries) + " " +
           std::to_string(p.keys) + " " + std::to_string(p.heads) + " " +
           std::to_string(p.head_width) + (p.causal ? " causal" : "");
  }
};

using AttentionKernel = KernelTest;
ASSAY_ALL_TARGETS(AttentionKernel);

TEST_P(AttentionKernel, AgreesWithDoublesForAnyShape) {
  Workspace workspace;
  for (auto [b, n, m, h, w] : {std::array{2, 64, 64, 4, 16},
                               {1, 1, 1, 1, 1},
                               {2, 5, 9, 2, 5},
                               {1, 33, 70, 3, 8},
                               {1, 100, 100, 1, 48},
                               {1, 17, 200, 2, 32},
                               {1, 65, 65, 1, 64},
                               {1, 1, 77, 2, 16},
                               {1, 3, 2, 1, 7}})
    for (bool causal : {false, true}) {
      if (causal && n > m) continue;
      Case c(b, n, m, h, w);
      c.p.causal = causal;
      c.run(workspace);
      c.check();
    }
}

TEST_P(AttentionKernel, PaddedKeysCountForNothing) {
  Workspace workspace;
  for (bool causal : {false, true})
    for (int pattern = 0; pattern < 3; ++pattern) {
      Case c(3, 40, 40, 2, 16);
      std::vector<std::uint8_t> mask(3 * 40, 1);
      for (std::size_t i = 0; i < mask.size(); ++i) {
        if (pattern == 0) mask[i] = i % 40 < 40 - 7 * (i / 40);  // padding at the end
        if (pattern == 1) mask[i] = i % 40 >= 5 * (i / 40);      // at the start
        if (pattern == 2) mask[i] = (i * 7) % 3 != 0 || i == 0;  // scattered
      }
      c.p.key_mask = mask.data();
      c.p.causal = causal;
      // Queries that see nothing have no reference: the plain loops divide by zero there.
      if (causal && pattern == 1) {
        c.run(workspace);
        for (float x : c.out) EXPECT_TRUE(std::isfinite(x));
        continue;
      }
      for (std::size_t i = 0; i < 3; ++i) mask[i * 40] = 1;
      c.run(workspace);
      c.check();
    }
}

TEST_P(AttentionKernel, AnyPatternOfPairsIsFollowed) {
  Workspace workspace;
  for (bool causal : {false, true}) {
    Case c(2, 50, 90, 2, 8);
    std::vector<std::uint8_t> pairs(50 * 90);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      pairs[i] = (i % 90 + i / 90) % 3 == 0 || i % 90 == 0;
    c.p.pair_mask = pairs.data();
    c.p.causal = causal;
    c.run(workspace);
    c.check();
  }
}

TEST_P(AttentionKernel, HeadsShareKeysLookAWindowFarAndAddWhatBelongsToDistances) {
  for (auto [b, n, m, h, w, sharing, window, bias] :
       {std::array{2, 64, 64, 4, 16, 2, 0, 0},
        {1, 100, 100, 2, 8, 1, 2, 0},
        {1, 150, 150, 2, 8, 2, 37, 0},
        {2, 33, 70, 3, 8, 1, 70, 1},
        {2, 70, 70, 6, 4, 3, 40, 1},
        {1, 1, 77, 2, 16, 1, 20, 1},
        {2, 200, 200, 3, 32, 1, 0, 1},     // tasks for each head
        {1, 800, 800, 1, 32, 1, 100, 1}})  // and for parts of one
    for (const bool causal : {false, true})
      for (const bool padded : {false, true}) {
        if (n > 300 && (!causal || padded)) continue;
        Workspace workspace;
        Case c(b, n, m, h, w, sharing);
        c.p.causal = causal, c.p.window = window;
        std::vector<std::uint8_t> keys(static_cast<std::size_t>(b * m), 1);
        for (std::size_t i = 0; i < keys.size(); ++i)
          if (i % static_cast<std::size_t>(m) % 3 == 1) keys[i] = 0;
        // A query that sees nothing has no reference.
        if (padded) c.p.key_mask = keys.data();
        if (bias) c.add_bias();
        c.run(workspace);
        c.check();
      }
}

TEST_P(AttentionKernel, GradientsOfHeadsThatShareAddUp) {
  const auto wide = normal_numbers(3 * 4 * 5, "wide");  // 3 rows, 4 heads of 5
  std::vector<float> sums(3 * 2 * 5, 1.0F);
  fold_shared_heads(3, 4, 2, 5, wide.data(), {sums.data(), true});
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t g = 0; g < 2; ++g)
      for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(sums[row * 10 + g * 5 + i],
                    1 + wide[row * 20 + g * 10 + i] + wide[row * 20 + g * 10 + 5 + i], 1e-6);
}

TEST_P(AttentionKernel, GradientsAddWhereAsked) {
  Workspace workspace;
  Case c(1, 20, 20, 2, 12), added(1, 20, 20, 2, 12);
  c.run(workspace);
  added.run(workspace, true);
  for (std::size_t i = 0; i < c.dq.size(); ++i) {
    EXPECT_NEAR(added.dq[i], 1 + c.dq[i], 1e-6F);
    EXPECT_NEAR(added.dk[i], 1 + c.dk[i], 1e-6F);
    EXPECT_NEAR(added.dv[i], 1 + c.dv[i], 1e-6F);
  }
}

// Scores row 0 = [1, 2, masked], row 1 all masked; values 10, 20, 30: row 0 = 17.310586, row 1 = 0.
TEST_P(AttentionKernel, ARowWithEveryKeyMaskedGivesZeroAndFiniteGradients) {
  Workspace workspace;
  Case c(1, 2, 3, 1, 1);
  c.p.scale = 1;
  c.q = {1, 1};
  c.k = {1, 2, std::nanf("")};
  c.v = {10, 20, std::numeric_limits<float>::infinity()};
  c.dout = {1, 1};
  const std::vector<std::uint8_t> pairs = {1, 1, 0, 0, 0, 0};
  c.p.pair_mask = pairs.data();
  c.run(workspace);
  EXPECT_NEAR(c.out[0], 17.310586F, 2e-6F * 17);
  EXPECT_EQ(c.out[1], 0.0F);
  EXPECT_NEAR(c.weights[0], 0.268941F, 1e-6F);
  EXPECT_NEAR(c.weights[1], 0.731059F, 1e-6F);
  for (std::size_t i = 2; i < 6; ++i) EXPECT_EQ(c.weights[i], 0.0F);
  EXPECT_EQ(c.dq[1], 0.0F);
  EXPECT_EQ(c.dk[2], 0.0F);
  EXPECT_EQ(c.dv[2], 0.0F);
  for (const auto* gradient : {&c.dq, &c.dk, &c.dv})
    for (float x : *gradient) EXPECT_TRUE(std::isfinite(x));
}

TEST_P(AttentionKernel, WhatStandsAtForbiddenPlacesChangesNoBit) {
  for (int kind = 0; kind < 3; ++kind)
    for (float poison : {std::nanf(""), std::numeric_limits<float>::infinity(), -1e30F}) {
      Workspace workspace;
      Case c(1, 70, 70, 2, 16);
      std::vector<std::uint8_t> keys(70, 1), pairs(70 * 70, 1);
      const std::size_t bad = 37;
      keys[bad] = 0;
      for (std::size_t i = 0; i < 70; ++i) pairs[i * 70 + bad] = 0;
      if (kind == 0) c.p.key_mask = keys.data();
      if (kind == 1) c.p.pair_mask = pairs.data();
      if (kind == 2) c.p.causal = true;
      Case poisoned = c;
      for (std::size_t w = 0; w < 32; ++w)
        poisoned.k[bad * 32 + w] = poisoned.v[bad * 32 + w] = poison;
      if (kind == 2) {  // later queries see the poisoned key: they take no part in the loss
        std::fill(c.dout.begin() + bad * 32, c.dout.end(), 0.0F);
        poisoned.dout = c.dout;
      }
      c.run(workspace);
      poisoned.run(workspace);
      const auto end = kind == 2 ? static_cast<std::ptrdiff_t>(bad * 32)
                                 : static_cast<std::ptrdiff_t>(c.out.size());
      EXPECT_TRUE(std::equal(c.out.begin(), c.out.begin() + end, poisoned.out.begin()))
          << kind << " " << poison;
      EXPECT_TRUE(std::equal(c.dq.begin(), c.dq.begin() + end, poisoned.dq.begin()))
          << kind << " " << poison;
      if (kind == 2) continue;
      EXPECT_EQ(c.dk, poisoned.dk) << kind << " " << poison;
      EXPECT_EQ(c.dv, poisoned.dv) << kind << " " << poison;
    }
}

TEST_P(AttentionKernel, AQueryDoesNotDependOnItsNeighboursOrItsPlace) {
  Workspace workspace;
  Case c(1, 70, 70, 1, 16);
  c.run(workspace);
  for (std::int64_t i : {0, 3, 20, 69}) {
    Case one(1, 1, 70, 1, 16);
    std::copy_n(c.q.begin() + i * 16, 16, one.q.begin());
    one.run(workspace);
    EXPECT_TRUE(std::equal(one.out.begin(), one.out.end(), c.out.begin() + i * 16)) << i;
  }
}

TEST_P(AttentionKernel, StridesReachIntoOneMatrixOfAllThree) {
  Workspace workspace;
  Case c(2, 30, 30, 2, 8);
  c.p.causal = true;
  c.run(workspace);
  std::vector<float> qkv;  // [B, N, 3 D]
  for (std::size_t row = 0; row < 60; ++row)
    for (const auto* x : {&c.q, &c.k, &c.v})
      qkv.insert(qkv.end(), x->begin() + row * 16, x->begin() + (row + 1) * 16);
  Attention p = c.p;
  p.q = {qkv.data(), 48, 30 * 48}, p.k = {qkv.data() + 16, 48, 30 * 48},
  p.v = {qkv.data() + 32, 48, 30 * 48};
  std::vector<float> out(c.out.size()), d(qkv.size());
  attention_forward(p, c.into(out, 30, false), c.log_sum_exp.data(), nullptr, workspace);
  EXPECT_EQ(out, c.out);
  const auto into = [&](std::size_t at) {
    return HeadRowsInto{{d.data() + at, false}, 48, 30 * 48};
  };
  attention_backward(p, {c.rows(out, 30), c.rows(c.dout, 30), c.log_sum_exp.data()}, into(0),
                     into(16), into(32), workspace);
  for (std::size_t row = 0; row < 60; ++row)
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_EQ(d[row * 48 + i], c.dq[row * 16 + i]);
      EXPECT_EQ(d[row * 48 + 16 + i], c.dk[row * 16 + i]);
      EXPECT_EQ(d[row * 48 + 32 + i], c.dv[row * 16 + i]);
    }
}

TEST_P(AttentionKernel, ALongSequenceHasTheSameBitsOnAnyNumberOfThreads) {
  Case c(1, 800, 800, 1, 32);  // enough work for tasks
  c.p.causal = true;
  std::vector<float> out, dk;
  for (int threads : {1, 3}) {
    Workspace workspace;
    Pool pool(threads);
    pool.run([&] { c.run(workspace); });
    if (out.empty()) {
      out = c.out, dk = c.dk;
      c.check();
    }
    EXPECT_EQ(c.out, out);
    EXPECT_EQ(c.dk, dk);
  }
}

TEST_P(AttentionKernel, LargeScoresDoNotOverflow) {
  Workspace workspace;
  Case c(1, 10, 150, 1, 4);
  for (float& x : c.q) x *= 100;
  for (std::size_t i = 0; i < c.k.size(); ++i)
    c.k[i] *= 0.1F * static_cast<float>(i);  // later blocks hold larger ones
  c.run(workspace);
  for (const auto* result : {&c.out, &c.dq, &c.dk, &c.dv})
    for (float x : *result) EXPECT_TRUE(std::isfinite(x));
}

}  // namespace
}  // namespace assay
