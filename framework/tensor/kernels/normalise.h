// Normalisation of rows: layer norm, RMS norm and softmax. Rows are independent; sums over rows run
// in a fixed order.
#pragma once

#include <cstdint>

#include "base/api.h"
#include "tensor/kernels/into.h"

namespace assay {

/// y = (x - mean) / sqrt(variance + epsilon) gain + bias (Ba, Kiros and Hinton, 2016) for x, y
/// [rows, width], gain and bias [width]. mean and inverse_deviation [rows] are kept for backward;
/// both null: forward only.
ASSAY_API void layer_norm_forward(std::int64_t rows, std::int64_t width, const float* x,
                                  const float* gain, const float* bias, float epsilon, float* y,
                                  float* mean, float* inverse_deviation);

struct LayerNormGradient {
  std::int64_t rows = 0, width = 0;
  const float* x = nullptr;                  // [rows, width]
  const float* gain = nullptr;               // [width]
  const float* mean = nullptr;               // [rows], from forward
  const float* inverse_deviation = nullptr;  // [rows], from forward
  const float* dy = nullptr;                 // [rows, width]
  Into dx, dgain, dbias;                     // [rows, width], [width], [width]; null: not wanted
};
ASSAY_API void layer_norm_backward(const LayerNormGradient& gradient);

/// y = x / sqrt(mean(x^2) + epsilon) gain (Zhang and Sennrich, 2019) for x, y [rows, width], gain
/// [width]. inverse_root [rows] is kept for backward; null: forward only.
ASSAY_API void rms_norm_forward(std::int64_t rows, std::int64_t width, const float* x,
                                const float* gain, float epsilon, float* y, float* inverse_root);

struct RmsNormGradient {
  std::int64_t rows = 0, width = 0;
  const float* x = nullptr;             // [rows, width]
  const float* gain = nullptr;          // [width]
  const float* inverse_root = nullptr;  // [rows], from forward
  const float* dy = nullptr;            // [rows, width]
  Into dx, dgain;                       // [rows, width], [width]; null: not wanted
};
ASSAY_API void rms_norm_backward(const RmsNormGradient& gradient);

/// y = exp(x) / sum exp(x) along rows of x [rows, width]; in place if y == x. A row of all
/// -infinity gives 0.
ASSAY_API void softmax_forward(std::int64_t rows, std::int64_t width, const float* x, float* y);
/// dx = y (dy - sum y dy).
ASSAY_API void softmax_backward(std::int64_t rows, std::int64_t width, const float* y,
                                const float* dy, Into dx);

}  // namespace assay
