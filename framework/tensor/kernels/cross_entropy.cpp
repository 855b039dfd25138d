#include "tensor/kernels/cross_entropy.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/parallel.h"
#include "tensor/kernels/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/cross_entropy.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

float row_log_sum_exp(const float* x, std::size_t count) {
  const float largest = row_max(x, count);
  const V shift = set(largest);
  const V total = fold_row(
      count, zero(),
      [=](std::size_t i, std::size_t n, V s) ASSAY_INLINE_BODY {
        return hn::Add(s, keep_first(exp_nonpositive(hn::Sub(load_first(x + i, n), shift)), n));
      },
      Sum());
  return largest + std::log(sum_lanes(total));
}

float row_sum(const float* x, std::size_t count) {
  return sum_lanes(fold_row(
      count, zero(),
      [=](std::size_t i, std::size_t n, V s)
          ASSAY_INLINE_BODY { return hn::Add(s, load_first(x + i, n)); },
      Sum()));
}

// dx = factor (exp(x - log_sum_exp) - one at the target).
void row_gradient(const float* x, std::size_t count, std::size_t target, float log_sum_exp,
                  float factor, float* dx, bool accumulate) {
  const V shift = set(log_sum_exp), f = set(factor);
  const float before = accumulate ? dx[target] : 0.0F;
  const auto probability = [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    // Rounding may leave a logit a hair above the sum of all: exp_nonpositive does not mind.
    return exp_nonpositive(hn::Sub(load_first(x + i, n), shift));
  };
  if (accumulate)
    in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      store_first(hn::MulAdd(f, probability(i, n), load_first(dx + i, n)), dx + i, n);
    });
  else
    in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      store_first(hn::Mul(f, probability(i, n)), dx + i, n);
    });
  // p - 1 by itself, not (before + factor p) - factor: what is left when p is near 1 keeps its
  // digits.
  const float p = std::exp(x[target] - log_sum_exp);
  dx[target] = before + factor * (p - 1.0F);
}

// What smoothing takes from the target, and all classes share: dx += factor e (one at the target -
// 1 / K).
void smooth_gradient(std::size_t count, std::size_t target, float smoothing, float factor,
                     float* dx) {
  const float share = factor * smoothing / static_cast<float>(count);
  const V each = set(share);
  in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    store_first(hn::Sub(load_first(dx + i, n), each), dx + i, n);
  });
  dx[target] += factor * smoothing;
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(row_log_sum_exp);
HWY_EXPORT(row_gradient);
HWY_EXPORT(row_sum);
HWY_EXPORT(smooth_gradient);

namespace {

constexpr std::int64_t kBlock = 256;             // rows whose results wait to be summed in order
constexpr std::int64_t kTile = 16;               // rows of a task
constexpr std::int64_t kParallelFrom = 1 << 20;  // logits

// body(row) for rows [first, last), in tiles that run in parallel if there is enough to do.
template <class Body>
void for_rows(std::int64_t first, std::int64_t last, std::int64_t classes, const Body& body) {
  if ((last - first) * classes < kParallelFrom) {
    for (std::int64_t row = first; row < last; ++row) body(row);
    return;
  }
  parallel_for((last - first + kTile - 1) / kTile, [&](std::int64_t tile) {
    const std::int64_t start = first + tile * kTile;
    for (std::int64_t row = start; row < std::min(last, start + kTile); ++row) body(row);
  });
}

}  // namespace

double cross_entropy_forward(const CrossEntropy& p, float* log_sum_exp) {
  assert(static_cast<std::int64_t>(p.targets.size()) == p.rows);
  assert(p.weights.empty() || p.weights.size() == p.targets.size());
  double loss = 0;
  float local[kBlock];
  for (std::int64_t first = 0; first < p.rows; first += kBlock) {
    const std::int64_t last = std::min(p.rows, first + kBlock);
    float* results = log_sum_exp ? log_sum_exp + first : local;
    for_rows(first, last, p.classes, [&](std::int64_t row) {
      results[row - first] =
          p.targets[static_cast<std::size_t>(row)] < 0
              ? 0.0F
              : HWY_DYNAMIC_DISPATCH(row_log_sum_exp)(p.logits + row * p.classes,
                                                      static_cast<std::size_t>(p.classes));
    });
    for (std::int64_t row = first; row < last; ++row) {
      const auto r = static_cast<std::size_t>(row);
      const std::int32_t target = p.targets[r];
      if (target < 0) continue;
      assert(target < p.classes);
      const double weight = p.weights.empty() ? 1.0 : static_cast<double>(p.weights[r]);
      const float* logits = p.logits + row * p.classes;
      double seen = static_cast<double>(logits[target]);
      if (p.smoothing > 0) {
        const double e = static_cast<double>(p.smoothing), k = static_cast<double>(p.classes);
        const auto all = static_cast<double>(
            HWY_DYNAMIC_DISPATCH(row_sum)(logits, static_cast<std::size_t>(p.classes)));
        seen = (1 - e) * seen + e / k * all;
      }
      loss += weight * (static_cast<double>(results[row - first]) - seen);
    }
  }
  return loss;
}

void cross_entropy_backward(const CrossEntropy& p, const float* log_sum_exp, float seed,
                            Into dlogits) {
  for_rows(0, p.rows, p.classes, [&](std::int64_t row) {
    const auto r = static_cast<std::size_t>(row);
    float* d = dlogits.data + row * p.classes;
    const std::int32_t target = p.targets[r];
    if (target < 0) {
      if (!dlogits.accumulate) std::fill(d, d + p.classes, 0.0F);
      return;
    }
    const float factor = p.weights.empty() ? seed : seed * p.weights[r];
    HWY_DYNAMIC_DISPATCH(row_gradient)
    (p.logits + row * p.classes, static_cast<std::size_t>(p.classes),
     static_cast<std::size_t>(target), log_sum_exp[row], factor, d, dlogits.accumulate);
    if (p.smoothing > 0) HWY_DYNAMIC_DISPATCH(smooth_gradient)
    (static_cast<std::size_t>(p.classes), static_cast<std::size_t>(target), p.smoothing, factor, d);
  });
}

}  // namespace assay
#endif
