#include "autograd/ops_normalise.h"

#include <fmt/format.h>

#include "autograd/support.h"
#include "tensor/kernels/normalise.h"

namespace assay {

// y = (x - m) r gain + bias, m = mean of x, r = 1 / sqrt(variance + epsilon); n = (x - m) r, g = dy
// gain: dx = r (g - mean(g) - n mean(g n))               dgain = sum of dy n    dbias = sum of dy
Tensor layer_norm(Tensor x, Tensor gain, Tensor bias, float epsilon) {
  const Shape& s = x.shape();
  if (s.rank() < 1 || gain.shape() != Shape{s[-1]} || bias.shape() != gain.shape())
    shape_error("layer_norm", s, gain.shape(), "gain and bias must have the last extent of x");
  Tape& tape = tape_of(x);
  const std::int64_t rows = s.rows(), width = s[-1];
  const Tensor y = tape.result(s, {x, gain, bias});
  float* mean = y.needs_gradient() ? tape.floats(rows) : nullptr;
  float* inverse_deviation = y.needs_gradient() ? tape.floats(rows) : nullptr;
  layer_norm_forward(rows, width, data_of(x), data_of(gain), data_of(bias), epsilon, data_of(y),
                     mean, inverse_deviation);
  tape.record(y, [=] {
    LayerNormGradient g;
    g.rows = rows, g.width = width;
    g.x = data_of(x), g.gain = data_of(gain);
    g.mean = mean, g.inverse_deviation = inverse_deviation;
    g.dy = gradient_of(y);
    g.dx = gradient_into(x), g.dgain = gradient_into(gain), g.dbias = gradient_into(bias);
    layer_norm_backward(g);
  });
  return y;
}

// y = x r gain, r = 1 / sqrt(mean of x^2 + epsilon); h = x r, e = dy gain
// dx = r (e - h mean(e h))                         dgain = sum of dy h
Tensor rms_norm(Tensor x, Tensor gain, float epsilon) {
  const Shape& s = x.shape();
  if (s.rank() < 1 || gain.shape() != Shape{s[-1]})
    shape_error("rms_norm", s, gain.shape(), "the gain must have the last extent of x");
  Tape& tape = tape_of(x);
  const std::int64_t rows = s.rows(), width = s[-1];
  const Tensor y = tape.result(s, {x, gain});
  float* inverse_root = y.needs_gradient() ? tape.floats(rows) : nullptr;
  rms_norm_forward(rows, width, data_of(x), data_of(gain), epsilon, data_of(y), inverse_root);
  tape.record(y, [=] {
    RmsNormGradient g;
    g.rows = rows, g.width = width;
    g.x = data_of(x), g.gain = data_of(gain);
    g.inverse_root = inverse_root;
    g.dy = gradient_of(y);
    g.dx = gradient_into(x), g.dgain = gradient_into(gain);
    rms_norm_backward(g);
  });
  return y;
}

// y = exp(x) / sum exp(x)                          dx = y (dy - sum of y dy)
Tensor softmax(Tensor x) {
  if (x.shape().rank() < 1) shape_error("softmax", x.shape(), "at least one dimension is needed");
  Tape& tape = tape_of(x);
  const std::int64_t rows = x.shape().rows(), width = x.shape()[-1];
  const Tensor y = tape.result(x.shape(), {x});
  softmax_forward(rows, width, data_of(x), data_of(y));
  tape.record(y,
              [=] { softmax_backward(rows, width, data_of(y), gradient_of(y), gradient_into(x)); });
  return y;
}

}  // namespace assay
