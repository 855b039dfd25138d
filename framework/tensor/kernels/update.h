// Vectorised loops for optimizers and for folding gradients. Spans of one call have equal lengths;
// disjoint parts may be updated by different threads. Results do not depend on how a buffer is cut
// into parts.
#pragma once

#include <span>

#include "base/api.h"

namespace assay {

/// One update of Adam (Kingma and Ba, 2015, algorithm 1) with bias-corrected rates given by the
/// caller.
struct AdamStep {
  float beta1 = 0.9F, beta2 = 0.999F;
  float step_size = 0;     // learning_rate / (1 - beta1^t)
  float second_scale = 1;  // 1 / sqrt(1 - beta2^t)
  float epsilon = 1e-8F;   // added after the root: m / (sqrt(v) second_scale + epsilon)
  float decoupled_decay =
      0;  // weights are first multiplied by 1 - this (Loshchilov and Hutter, 2019: lr x decay)
  float l2 = 0;  // added to the gradient as l2 x weight
};
ASSAY_API void adam_update(const AdamStep& step, std::span<float> weights,
                           std::span<const float> gradient, std::span<float> first_moment,
                           std::span<float> second_moment);

/// a += b.
ASSAY_API void add_into(std::span<float> a, std::span<const float> b);
/// a *= factor.
ASSAY_API void scale_in_place(std::span<float> a, float factor);
/// a += factor b.
ASSAY_API void add_scaled(std::span<float> a, float factor, std::span<const float> b);
/// Sum of squares in double, in an order that depends on the length only. NaN or infinite where an
/// element is.
ASSAY_API double sum_of_squares(std::span<const float> a);

}  // namespace assay
