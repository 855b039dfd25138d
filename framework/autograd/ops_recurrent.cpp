#include "autograd/ops_recurrent.h"

#include <fmt/format.h>

#include "autograd/support.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/matmul.h"
#include "tensor/kernels/recurrent.h"

namespace assay {
namespace {

std::size_t size_of(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

Recurrence checked(RecurrentCell cell, const RecurrentInput& in) {
  const Shape &x = in.x.shape(), &w = in.w.shape();
  const std::int64_t gates = gates_of(cell);
  if (x.rank() != 3 || w.rank() != 2 || w[1] != gates * w[0] || x[2] != w[1])
    shape_error("recurrent", x, w,
                fmt::format("wanted [B, N, {0} H] and [H, {0} H] for the {0} gates", gates));
  if (in.bias && in.bias.shape() != Shape{w[1]})
    shape_error("recurrent", w, in.bias.shape(),
                fmt::format("the bias must have shape ({})", w[1]));
  const Shape state = {x[0], w[0]};
  for (const Tensor& initial : {in.initial.hidden, in.initial.cell})
    if (initial && initial.shape() != state)
      shape_error("recurrent", initial.shape(), x,
                  "the initial state must have shape " + state.text());
  if (!in.mask.empty() && in.mask.size() != size_of(x[0] * x[1]))
    shape_error("recurrent", x, fmt::format("the mask has {} marks", in.mask.size()));
  Recurrence r;
  r.cell = cell;
  r.rows = size_of(x[0]), r.steps = size_of(x[1]), r.units = size_of(w[0]);
  r.reverse = in.reverse;
  r.mask = in.mask.empty() ? nullptr : in.mask.data();
  r.w = data_of(in.w);
  r.bias = in.bias ? data_of(in.bias) : nullptr;
  return r;
}

// Of the products of all steps with the recurrent matrix.
double flops_of(const Recurrence& r) {
  return 2.0 * static_cast<double>(r.rows * r.steps * r.units * r.units) *
         static_cast<double>(gates_of(r.cell));
}

RecurrentTrace trace_for(const Recurrence& r, Tape& tape) {
  const auto units = static_cast<std::int64_t>(r.rows * r.units);
  const auto steps = static_cast<std::int64_t>(r.steps);
  RecurrentTrace trace;
  trace.states = tape.floats((steps + 1) * units);
  if (r.cell == RecurrentCell::lstm) trace.cells = tape.floats((steps + 1) * units);
  if (r.cell == RecurrentCell::elman) return trace;
  trace.gates = tape.floats(steps * units * gates_of(r.cell));
  trace.inner = tape.floats(steps * units);
  return trace;
}

// dw = sum over steps of h^T d, columns [first, first + count) of d.
void matrix_gradient(const Recurrence& r, const float* h, const float* d, std::int64_t first,
                     std::int64_t count, Into dw, Workspace& workspace) {
  Matmul product;
  product.m = static_cast<std::int64_t>(r.units), product.n = count;
  product.k = static_cast<std::int64_t>(r.rows * r.steps);
  product.a = h, product.transpose_a = true;
  product.b = d + first, product.ldb = gates_of(r.cell) * product.m;
  product.c = dw.data + first, product.ldc = product.ldb;
  product.accumulate = dw.accumulate;
  matmul(product, workspace);
}

const float* gradient_or_null(Tensor y) {
  return y && y.slot().has_gradient ? gradient_of(y) : nullptr;
}

void go_back(const Recurrence& r, const RecurrentTrace& trace, const RecurrentInput& in,
             const Recurrent& out) {
  Tape& tape = tape_of(in.x);
  const std::int64_t columns = in.w.shape()[1], units = in.w.shape()[0];
  const auto all = static_cast<std::int64_t>(r.rows * r.steps);
  float* d = tape.floats(all * columns);
  recurrent_backward(
      r, trace, gradient_or_null(out.y),
      {gradient_or_null(out.last.hidden), gradient_or_null(out.last.cell)}, d, gradient_into(in.x),
      {gradient_into(in.initial.hidden), gradient_into(in.initial.cell)}, tape.workspace());
  tape.count_flops(flops_of(r));
  if (const Into dw = gradient_into(in.w); dw.data) {
    tape.count_flops(flops_of(r));
    const bool before = r.cell == RecurrentCell::gru_reset_before;
    const std::int64_t direct = before ? 2 * units : columns;
    matrix_gradient(r, trace.states, d, 0, direct, dw, tape.workspace());
    if (before) matrix_gradient(r, trace.inner, d, direct, units, dw, tape.workspace());
  }
  if (const Into db = gradient_into(in.bias); db.data) column_sums(all, columns, d, db);
}

// A gradient that arrives at the last state alone reaches the layer through y.
void wake(Tensor y) {
  if (y.slot().has_gradient) return;
  const Into dy = gradient_into(y);
  std::fill_n(dy.data, y.elements(), 0.0F);
}

}  // namespace

Recurrent recurrent(RecurrentCell cell, const RecurrentInput& in) {
  const Recurrence r = checked(cell, in);
  Tape& tape = tape_of(in.x);
  const std::initializer_list<Tensor> inputs = {in.x, in.w, in.bias, in.initial.hidden,
                                                in.initial.cell};
  const Shape state = {in.x.shape()[0], in.w.shape()[0]};
  Recurrent out;
  out.y = tape.result(in.x.shape().with_last(in.w.shape()[0]), inputs);
  out.last.hidden = tape.result(state, inputs);
  if (cell == RecurrentCell::lstm) out.last.cell = tape.result(state, inputs);
  const RecurrentTrace trace = trace_for(r, tape);
  recurrent_forward(r, data_of(in.x),
                    {in.initial.hidden ? data_of(in.initial.hidden) : nullptr,
                     in.initial.cell ? data_of(in.initial.cell) : nullptr},
                    trace, data_of(out.y),
                    {data_of(out.last.hidden), out.last.cell ? data_of(out.last.cell) : nullptr},
                    tape.workspace());
  tape.count_flops(flops_of(r));
  tape.record(out.y, [=] { go_back(r, trace, in, out); });
  tape.record(out.last.hidden, [=] { wake(out.y); });
  if (out.last.cell) tape.record(out.last.cell, [=] { wake(out.y); });
  return out;
}

}  // namespace assay
