// Matrix products.
#pragma once

#include "base/api.h"
#include "tensor/tensor.h"

namespace assay {

/// y = x w + bias: x [..., I], w [I, O], bias [O] or empty, y [..., O].
ASSAY_API Tensor linear(Tensor x, Tensor w, Tensor bias = {});
/// x + h w + bias, for a residual stream x [..., O], h [..., I]: one pass over the sum.
ASSAY_API Tensor linear_add(Tensor x, Tensor h, Tensor w, Tensor bias = {});
/// gelu(x w + bias) with the exact GELU (Hendrycks and Gimpel, 2016): z Phi(z).
ASSAY_API Tensor linear_gelu(Tensor x, Tensor w, Tensor bias = {});
/// x w^T: w [O, I]. For an output layer tied to the embedding (Press and Wolf, 2017).
ASSAY_API Tensor linear_transposed(Tensor x, Tensor w, Tensor bias = {});
/// Batched product of a [..., M, K] and b [..., K, N] with equal leading extents: [..., M, N].
ASSAY_API Tensor matmul(Tensor a, Tensor b);

}  // namespace assay
