#include "autograd/ops_basic.h"

#include <algorithm>

#include "autograd/support.h"
#include "tensor/kernels/activations.h"
#include "tensor/kernels/elementwise.h"

namespace assay {
namespace {

std::span<float> numbers(Tensor y) {
  return {data_of(y), y.values().size()};
}
Into into(Tensor y) {
  return {data_of(y), false};
}

// Whether b is repeated over a ([B, N, D] with [N, D]); throws if the shapes do not fit.
bool repeats(const char* operation, const Shape& a, const Shape& b) {
  if (a == b) return false;
  bool fits = b.rank() < a.rank();
  for (int i = 1; fits && i <= b.rank(); ++i) fits = a[-i] == b[-i];
  if (!fits)
    shape_error(operation, a, b, "the second is neither like the first nor its last dimensions");
  return true;
}

// d(b) = sum over the repetitions of d, added to or written over.
void fold_repeats(Tensor b, std::span<const float> d) {
  const Into db = gradient_into(b);
  if (!db.data) return;
  const std::int64_t width = b.elements();
  if (width > 0) column_sums(static_cast<std::int64_t>(d.size()) / width, width, d.data(), db);
}

Tensor activation(Tensor x, Activation f) {
  const Tensor y = tape_of(x).result(x.shape(), {x});
  activate(f, x.values(), numbers(y));
  tape_of(x).record(y, [=] { activation_backward(f, y.values(), y.gradient(), gradient_into(x)); });
  return y;
}

// For functions whose derivative costs little beside the value, so that nothing is computed twice.
Tensor with_derivative(Tensor x, void (*value)(std::span<const float>, std::span<float>),
                       void (*both)(std::span<float>, std::span<float>)) {
  Tape& tape = tape_of(x);
  const Tensor y = tape.result(x.shape(), {x});
  if (!y.needs_gradient()) {
    value(x.values(), numbers(y));
    return y;
  }
  const std::span<float> derivative = {tape.floats(x.elements()), x.values().size()};
  copy(x.values(), {derivative.data(), false});
  both(derivative, numbers(y));
  tape.record(y, [=] { multiply(y.gradient(), derivative, gradient_into(x)); });
  return y;
}

}  // namespace

// y = a + b                                        da = dy        db = dy, summed where b repeats
Tensor add(Tensor a, Tensor b) {
  const bool repeated = repeats("add", a.shape(), b.shape());
  const Tensor y = tape_of(a).result(a.shape(), {a, b});
  if (repeated)
    add_repeated(a.values(), b.values(), into(y));
  else
    add(a.values(), b.values(), into(y));
  tape_of(a).record(y, [=] {
    if (repeated)
      fold_repeats(b, y.gradient());
    else if (b.needs_gradient())
      copy(y.gradient(), gradient_into(b));
    tape_of(y).pass_on_gradient(y, a);
  });
  return y;
}

// y = a - b                                        da = dy        db = -dy, summed where b repeats
Tensor subtract(Tensor a, Tensor b) {
  const bool repeated = repeats("subtract", a.shape(), b.shape());
  const Tensor y = tape_of(a).result(a.shape(), {a, b});
  if (repeated)
    subtract_repeated(a.values(), b.values(), into(y));
  else
    subtract(a.values(), b.values(), into(y));
  tape_of(a).record(y, [=] {
    if (b.needs_gradient()) {
      std::span<const float> d = y.gradient();
      if (repeated) {
        float* sums = tape_of(y).floats(b.elements());
        column_sums(y.elements() / b.elements(), b.elements(), d.data(), {sums, false});
        d = {sums, b.values().size()};
      }
      scale(d, -1.0F, gradient_into(b));
    }
    tape_of(y).pass_on_gradient(y, a);
  });
  return y;
}

// y = a b                                          da = dy b      db = dy a, summed where b repeats
Tensor multiply(Tensor a, Tensor b) {
  const bool repeated = repeats("multiply", a.shape(), b.shape());
  const Tensor y = tape_of(a).result(a.shape(), {a, b});
  if (repeated)
    multiply_repeated(a.values(), b.values(), into(y));
  else
    multiply(a.values(), b.values(), into(y));
  tape_of(a).record(y, [=] {
    const std::span<const float> dy = y.gradient();
    if (a.needs_gradient()) {
      if (repeated)
        multiply_repeated(dy, b.values(), gradient_into(a));
      else
        multiply(dy, b.values(), gradient_into(a));
    }
    if (b.needs_gradient()) {
      if (repeated)
        column_sums_of_products(y.elements() / b.elements(), b.elements(), dy.data(),
                                a.values().data(), gradient_into(b));
      else
        multiply(dy, a.values(), gradient_into(b));
    }
  });
  return y;
}

// y = c x                                          dx = c dy
Tensor scale(Tensor x, float factor) {
  const Tensor y = tape_of(x).result(x.shape(), {x});
  scale(x.values(), factor, into(y));
  tape_of(x).record(y, [=] { scale(y.gradient(), factor, gradient_into(x)); });
  return y;
}

// y = tanh(x)                                      dx = dy (1 - y^2)
Tensor tanh(Tensor x) {
  return activation(x, Activation::tanh);
}
// y = 1 / (1 + exp(-x))                            dx = dy y (1 - y)
Tensor sigmoid(Tensor x) {
  return activation(x, Activation::sigmoid);
}
// y = max(x, 0)                                    dx = dy where y > 0, else 0
Tensor relu(Tensor x) {
  return activation(x, Activation::relu);
}

// y = x Phi(x)                                     dx = dy (Phi(x) + x phi(x))
Tensor gelu(Tensor x) {
  return with_derivative(x, gelu_forward, gelu_with_derivative);
}
// y = x s(x), s the sigmoid                        dx = dy (s + x s (1 - s))
Tensor silu(Tensor x) {
  return with_derivative(x, silu_forward, silu_with_derivative);
}

// y = sum of x                                     dx = dy everywhere
Tensor sum(Tensor x) {
  const Tensor y = tape_of(x).result({}, {x});
  *data_of(y) = static_cast<float>(sum(x.values()));
  tape_of(x).record(y, [=] {
    const Into dx = gradient_into(x);
    const float dy = y.gradient()[0];
    const std::int64_t count = x.elements();
    for (std::int64_t i = 0; i < count; ++i) dx.data[i] = dx.accumulate ? dx.data[i] + dy : dy;
  });
  return y;
}

// y = x                                            dx = dy
Tensor reshape(Tensor x, const Shape& shape) {
  if (shape.elements() != x.elements())
    shape_error("reshape", x.shape(), shape, "the numbers of elements differ");
  const Tensor y = tape_of(x).view(shape, data_of(x), {x});
  tape_of(x).record(y, [=] { tape_of(y).pass_on_gradient(y, x); });
  return y;
}

// y[.., j, i] = x[.., i, j]                        dx[.., i, j] = dy[.., j, i]
Tensor transpose(Tensor x) {
  const Shape& s = x.shape();
  if (s.rank() < 2) shape_error("transpose", s, "at least two dimensions are needed");
  const std::int64_t rows = s[-2], columns = s[-1];
  const Shape batches = leading(s, s.rank() - 2);
  const std::int64_t batch = batches.elements();
  const Tensor y = tape_of(x).result(batches.appended(columns).appended(rows), {x});
  transpose(batch, rows, columns, x.values().data(), into(y));
  tape_of(x).record(
      y, [=] { transpose(batch, columns, rows, y.gradient().data(), gradient_into(x)); });
  return y;
}

// y[.., :] = a[.., :], b[.., :]                    da, db = their columns of dy
Tensor concatenate(Tensor a, Tensor b) {
  const Shape &as = a.shape(), &bs = b.shape();
  if (as.rank() < 1 || as.rank() != bs.rank() || as.with_last(0) != bs.with_last(0))
    shape_error("concatenate", as, bs, "only the last extents may differ");
  const Tensor y = tape_of(a).result(as.with_last(as[-1] + bs[-1]), {a, b});
  const auto left = static_cast<std::size_t>(as[-1]), right = static_cast<std::size_t>(bs[-1]);
  const auto rows = static_cast<std::size_t>(as.rows());
  for (std::size_t row = 0; row < rows; ++row) {
    float* to = data_of(y) + row * (left + right);
    std::copy_n(data_of(a) + row * left, left, to);
    std::copy_n(data_of(b) + row * right, right, to + left);
  }
  tape_of(a).record(y, [=] {
    const auto part = [=](Tensor x, std::size_t first, std::size_t width) {
      const Into dx = gradient_into(x);
      for (std::size_t row = 0; dx.data && row < rows; ++row)
        copy({gradient_of(y) + row * (left + right) + first, width},
             Into{dx.data + row * width, dx.accumulate});
    };
    part(a, 0, left);
    part(b, left, right);
  });
  return y;
}

// y = x keep / (1 - p)                             dx = dy keep / (1 - p), with the same draws
Tensor dropout(Tensor x, float p, const Random& random, std::uint64_t first) {
  const Tensor y = tape_of(x).result(x.shape(), {x});
  dropout(x.values(), p, random, first, into(y));
  tape_of(x).record(y, [=] { dropout(y.gradient(), p, random, first, gradient_into(x)); });
  return y;
}

}  // namespace assay
