#include "autograd/ops_linear.h"

#include <fmt/format.h>

#include "autograd/support.h"
#include "tensor/kernels/activations.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/matmul.h"

namespace assay {
namespace {

// A product that the tape counts: rows of x (all leading dimensions as one) with one matrix.
void multiply_counted(Tape& tape, const Matmul& product) {
  matmul(product, tape.workspace());
  tape.count_flops(2.0 * static_cast<double>(product.batch * product.m) *
                   static_cast<double>(product.n * product.k));
}

// How x [..., I] and a matrix meet: y [rows, O] = x [rows, I] op(w).
struct Meeting {
  std::int64_t rows, inputs, outputs;
  bool transposed;  // w is [O, I]
};

Meeting meet(const char* operation, Tensor x, Tensor w, Tensor bias, bool transposed) {
  const Shape &xs = x.shape(), &ws = w.shape();
  if (xs.rank() < 1 || ws.rank() != 2)
    shape_error(operation, xs, ws, "wanted [..., I] and a matrix");
  const std::int64_t inputs = ws[transposed ? 1 : 0], outputs = ws[transposed ? 0 : 1];
  if (xs[-1] != inputs)
    shape_error(operation, xs, ws, fmt::format("inner extents differ, {} and {}", xs[-1], inputs));
  if (bias && bias.shape() != Shape{outputs})
    shape_error(operation, ws, bias.shape(), fmt::format("the bias must have shape ({})", outputs));
  return {xs.rows(), inputs, outputs, transposed};
}

Matmul forward_product(const Meeting& m, Tensor x, Tensor w, Tensor bias, float* y) {
  Matmul product;
  product.m = m.rows, product.n = m.outputs, product.k = m.inputs;
  product.a = data_of(x);
  product.b = data_of(w), product.transpose_b = m.transposed;
  product.bias = bias ? data_of(bias) : nullptr;
  product.c = y;
  return product;
}

// From d = dy [rows, O]:  dx = d op(w)^T,  dw = x^T d (d^T x if w is [O, I]),  dbias = column sums
// of d.
void backward_products(const Meeting& m, const float* d, Tensor x, Tensor w, Tensor bias) {
  Tape& tape = tape_of(x);
  if (const Into dx = gradient_into(x); dx.data) {
    Matmul product;
    product.m = m.rows, product.n = m.inputs, product.k = m.outputs;
    product.a = d;
    product.b = data_of(w), product.transpose_b = !m.transposed;
    product.c = dx.data, product.accumulate = dx.accumulate;
    multiply_counted(tape, product);
  }
  if (const Into dw = gradient_into(w); dw.data) {
    Matmul product;
    product.m = w.shape()[0], product.n = w.shape()[1], product.k = m.rows;
    product.a = m.transposed ? d : data_of(x), product.transpose_a = true;
    product.b = m.transposed ? data_of(x) : d;
    product.c = dw.data, product.accumulate = dw.accumulate;
    multiply_counted(tape, product);
  }
  if (const Into db = gradient_into(bias); db.data) column_sums(m.rows, m.outputs, d, db);
}

Tensor linear_either(const char* operation, Tensor x, Tensor w, Tensor bias, bool transposed) {
  const Meeting m = meet(operation, x, w, bias, transposed);
  Tape& tape = tape_of(x);
  const Tensor y = tape.result(x.shape().with_last(m.outputs), {x, w, bias});
  multiply_counted(tape, forward_product(m, x, w, bias, data_of(y)));
  tape.record(y, [=] { backward_products(m, gradient_of(y), x, w, bias); });
  return y;
}

}  // namespace

// y = x w + b                                      dx = dy w^T    dw = x^T dy    db = sum of dy
Tensor linear(Tensor x, Tensor w, Tensor bias) {
  return linear_either("linear", x, w, bias, false);
}

// y = x w^T + b                                    dx = dy w      dw = dy^T x    db = sum of dy
Tensor linear_transposed(Tensor x, Tensor w, Tensor bias) {
  return linear_either("linear_transposed", x, w, bias, true);
}

// y = x + h w + b                                  dx = dy        dh, dw, db as linear's
Tensor linear_add(Tensor x, Tensor h, Tensor w, Tensor bias) {
  const Meeting m = meet("linear_add", h, w, bias, false);
  if (const Shape y = h.shape().with_last(m.outputs); x.shape() != y)
    shape_error("linear_add", x.shape(), y, "the residual and the product differ");
  Tape& tape = tape_of(h);
  const Tensor y = tape.result(x.shape(), {x, h, w, bias});
  Matmul product = forward_product(m, h, w, bias, data_of(y));
  product.addend = data_of(x);
  multiply_counted(tape, product);
  tape.record(y, [=] {
    backward_products(m, gradient_of(y), h, w, bias);
    tape_of(y).pass_on_gradient(y, x);
  });
  return y;
}

// y = gelu(z), z = x w + b                         dz = dy gelu'(z), then as linear's
Tensor linear_gelu(Tensor x, Tensor w, Tensor bias) {
  const Meeting m = meet("linear_gelu", x, w, bias, false);
  Tape& tape = tape_of(x);
  const Tensor y = tape.result(x.shape().with_last(m.outputs), {x, w, bias});
  if (!y.needs_gradient()) {
    Matmul product = forward_product(m, x, w, bias, data_of(y));
    product.gelu = true;
    multiply_counted(tape, product);
    return y;
  }
  const std::span<float> z = {tape.floats(y.elements()), y.values().size()};
  multiply_counted(tape, forward_product(m, x, w, bias, z.data()));
  gelu_with_derivative(z, {data_of(y), z.size()});  // z holds gelu'(z) from here on
  tape.record(y, [=] {
    multiply(y.gradient(), z, Into{z.data(), false});
    backward_products(m, z.data(), x, w, bias);
  });
  return y;
}

// y = a b for each of a batch of matrices          da = dy b^T    db = a^T dy
Tensor matmul(Tensor a, Tensor b) {
  const Shape &as = a.shape(), &bs = b.shape();
  if (as.rank() < 2 || as.rank() != bs.rank() ||
      leading(as, as.rank() - 2) != leading(bs, bs.rank() - 2))
    shape_error("matmul", as, bs, "wanted matrices with equal leading extents");
  if (as[-1] != bs[-2])
    shape_error("matmul", as, bs, fmt::format("inner extents differ, {} and {}", as[-1], bs[-2]));
  Tape& tape = tape_of(a);
  const Tensor y = tape.result(as.with_last(bs[-1]), {a, b});
  Matmul product;
  product.batch = leading(as, as.rank() - 2).elements();
  product.m = as[-2], product.n = bs[-1], product.k = as[-1];
  product.a = data_of(a), product.b = data_of(b), product.c = data_of(y);
  multiply_counted(tape, product);
  tape.record(y, [=] {
    if (const Into da = gradient_into(a); da.data) {
      Matmul p = product;
      p.n = product.k, p.k = product.n;
      p.a = gradient_of(y), p.transpose_b = true;
      p.c = da.data, p.accumulate = da.accumulate;
      multiply_counted(tape_of(y), p);
    }
    if (const Into db = gradient_into(b); db.data) {
      Matmul p = product;
      p.m = product.k, p.k = product.m;
      p.transpose_a = true, p.b = gradient_of(y);
      p.c = db.data, p.accumulate = db.accumulate;
      multiply_counted(tape_of(y), p);
    }
  });
  return y;
}

}  // namespace assay
