// Normalisation along the last dimension.
#pragma once

#include "base/api.h"
#include "tensor/tensor.h"

namespace assay {

/// (x - mean) / sqrt(variance + epsilon) gain + bias over the last dimension (Ba, Kiros and Hinton,
/// 2016): x [..., D], gain and bias [D].
ASSAY_API Tensor layer_norm(Tensor x, Tensor gain, Tensor bias, float epsilon = 1e-5F);
/// x / sqrt(mean(x^2) + epsilon) gain over the last dimension (Zhang and Sennrich, 2019): x [...,
/// D], gain [D].
ASSAY_API Tensor rms_norm(Tensor x, Tensor gain, float epsilon = 1e-5F);
/// exp(x) / sum exp(x) over the last dimension, in the form that cannot overflow.
ASSAY_API Tensor softmax(Tensor x);

}  // namespace assay
