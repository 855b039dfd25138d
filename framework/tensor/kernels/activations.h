// Element-wise functions with their derivatives. Accurate to a few units in the last place of
// float32, negative tails included. In place where x and y are the same span.
#pragma once

#include <span>

#include "base/api.h"
#include "tensor/kernels/into.h"

namespace assay {

/// y = x Phi(x), the exact GELU (Hendrycks and Gimpel, 2016).
ASSAY_API void gelu_forward(std::span<const float> x, std::span<float> y);
/// The same for y not x, and puts d(gelu)/dx = Phi(x) + x phi(x) in the place of x: backward is
/// then multiply(dx, dy, x).
ASSAY_API void gelu_with_derivative(std::span<float> x, std::span<float> y);

/// y = x sigmoid(x) (Elfwing et al., 2018), and its derivative in the same way.
ASSAY_API void silu_forward(std::span<const float> x, std::span<float> y);
ASSAY_API void silu_with_derivative(std::span<float> x, std::span<float> y);

enum class Activation { tanh, sigmoid, relu, exp };
ASSAY_API void activate(Activation f, std::span<const float> x, std::span<float> y);
/// dx = dy f'(x), from y = f(x).
ASSAY_API void activation_backward(Activation f, std::span<const float> y,
                                   std::span<const float> dy, Into dx);

}  // namespace assay
