// Element-wise operations, reductions and changes of shape.
#pragma once

#include "base/api.h"
#include "base/random.h"
#include "tensor/tensor.h"

namespace assay {

/// Same shapes, or b matches the last dimensions of a (then it is repeated): [B,N,D] + [N,D].
ASSAY_API Tensor add(Tensor a, Tensor b);
ASSAY_API Tensor subtract(Tensor a, Tensor b);
ASSAY_API Tensor multiply(Tensor a, Tensor b);
ASSAY_API Tensor scale(Tensor x, float factor);
ASSAY_API Tensor tanh(Tensor x);
ASSAY_API Tensor sigmoid(Tensor x);
ASSAY_API Tensor relu(Tensor x);
/// z Phi(z), the exact form with erf.
ASSAY_API Tensor gelu(Tensor x);
/// x sigmoid(x), also known as swish (Elfwing et al., 2018).
ASSAY_API Tensor silu(Tensor x);
/// Sum of all elements: a scalar, folded in a fixed order.
ASSAY_API Tensor sum(Tensor x);
/// The same numbers in another shape; shares memory and gradient. REQUIRES equal counts.
ASSAY_API Tensor reshape(Tensor x, const Shape& shape);
/// Exchanges the last two dimensions.
ASSAY_API Tensor transpose(Tensor x);
/// Side by side in the last dimension: [..., A] and [..., C] give [..., A + C].
ASSAY_API Tensor concatenate(Tensor a, Tensor b);
/// Each element is 0 with probability p, else divided by 1 - p (Srivastava et al., 2014). Element i
/// of x draws number first + i of random: results do not depend on how a batch is cut into shards.
ASSAY_API Tensor dropout(Tensor x, float p, const Random& random, std::uint64_t first);

}  // namespace assay
