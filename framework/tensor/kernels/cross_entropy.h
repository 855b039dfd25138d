// Negative log-likelihood of targets under softmax(logits), one row at a time. With smoothing e the
// target keeps 1 - e of its weight, and all K classes share the rest (Szegedy et al., 2016,
// "Rethinking the Inception architecture", section 7):
//
//   log sum exp(x) - (1 - e) x[target] - e / K sum(x)
#pragma once

#include <cstdint>
#include <span>

#include "base/api.h"
#include "tensor/kernels/into.h"

namespace assay {

struct CrossEntropy {
  std::int64_t rows = 0, classes = 0;
  const float* logits = nullptr;          // [rows, classes]
  std::span<const std::int32_t> targets;  // [rows]; negative: ignored. REQUIRES < classes
  std::span<const float> weights;         // [rows], or empty for all 1
  float smoothing = 0;                    // e
};

/// Sum over rows of weight x the above, in double, in the order of the rows. log_sum_exp [rows] is
/// kept for backward (0 where ignored); null: forward only.
ASSAY_API double cross_entropy_forward(const CrossEntropy& problem, float* log_sum_exp);

/// dlogits [rows, classes] = seed weight (softmax(logits) - (1 - e) one_hot(target) - e / K), and 0
/// in ignored rows.
ASSAY_API void cross_entropy_backward(const CrossEntropy& problem, const float* log_sum_exp,
                                      float seed, Into dlogits);

}  // namespace assay
