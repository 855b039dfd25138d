// Losses. They return sums, never means: the trainer divides once, by the weight of the whole
// batch.
#pragma once

#include <cstdint>
#include <span>

#include "base/api.h"
#include "tensor/tensor.h"

namespace assay {

struct SummedLoss {
  Tensor sum;         // scalar, in nats
  double weight = 0;  // how many targets (or their summed weights) stand behind it
};

/// Negative log-likelihood of targets under softmax(logits): logits [..., K], one target per row. A
/// negative target is ignored: no loss, no gradient, no weight. weights: one per row, or empty for
/// all 1. smoothing: the part of each target's weight that all K classes share (Szegedy et al.,
/// 2016, section 7). Throws if a target is K or more.
ASSAY_API SummedLoss cross_entropy(Tensor logits, std::span<const std::int32_t> targets,
                                   std::span<const float> weights = {}, float smoothing = 0);

}  // namespace assay
