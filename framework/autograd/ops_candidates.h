// Operations on a few candidates in place of all K classes: what negative sampling needs.
#pragma once

#include <cstdint>
#include <span>

#include "autograd/ops_loss.h"
#include "base/api.h"
#include "tensor/tensor.h"

namespace assay {

/// Mean of the rows of table [K, D] that each list of ids names: ids [..., C] with their shape, the
/// result [..., D]. Negative ids are left out; where all are, zeros. Throws if an id is K or more.
ASSAY_API Tensor embedding_mean(Tensor table, std::span<const std::int32_t> ids,
                                const Shape& shape);
/// x [..., D] times the rows of table [K, D] that ids [..., M] name: [..., M]. A negative id gives
/// 0. Throws if an id is K or more.
ASSAY_API Tensor candidate_scores(Tensor x, Tensor table, std::span<const std::int32_t> ids,
                                  const Shape& shape);
/// Negative log-likelihood of labels under sigmoid(logits), each on its own: one label in [0, 1]
/// per logit; a negative one is ignored. The weight is the number of labels that are not.
ASSAY_API SummedLoss binary_cross_entropy(Tensor logits, std::span<const float> labels);

}  // namespace assay
