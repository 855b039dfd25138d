#include "tensor/kernels/highway_targets.h"
#include "tensor/kernels/recurrent.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/recurrent_forward.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/recurrent_step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

// One row of one step, where it is no padding: H numbers each but for x, products and gates [G H].
struct CellRow {
  const float *x, *products, *h, *c;
  float *gates, *inner, *new_h, *new_c;
};

void elman_row(std::size_t units, const CellRow& row) {
  in_lanes(units, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const V sum = hn::Add(load_first(row.x + i, n), load_first(row.products + i, n));
    store_first(tanh_of(sum), row.new_h + i, n);
  });
}

void lstm_row(std::size_t units, const CellRow& row) {
  in_lanes(units, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const auto sum = [=](std::size_t gate) ASSAY_INLINE_BODY {
      const std::size_t at = gate * units + i;
      return hn::Add(load_first(row.x + at, n), load_first(row.products + at, n));
    };
    const V in = sigmoid_of(sum(0)), forget = sigmoid_of(sum(1));
    const V fresh = tanh_of(sum(2)), out = sigmoid_of(sum(3));
    const V c = hn::MulAdd(forget, load_first(row.c + i, n), hn::Mul(in, fresh));
    const V squashed = tanh_of(c);
    store_first(in, row.gates + i, n);
    store_first(forget, row.gates + units + i, n);
    store_first(fresh, row.gates + 2 * units + i, n);
    store_first(out, row.gates + 3 * units + i, n);
    store_first(squashed, row.inner + i, n);
    store_first(c, row.new_c + i, n);
    store_first(hn::Mul(out, squashed), row.new_h + i, n);
  });
}

// The new state of either GRU from sum, that of its candidate.
HWY_INLINE void gru_state(std::size_t units, const CellRow& row, std::size_t i, std::size_t n,
                          V update, V sum) {
  const V fresh = tanh_of(sum);
  store_first(fresh, row.gates + 2 * units + i, n);
  const V h = load_first(row.h + i, n);
  store_first(hn::MulAdd(update, hn::Sub(h, fresh), fresh), row.new_h + i, n);
}

HWY_INLINE V gru_gate(std::size_t units, const CellRow& row, std::size_t gate, std::size_t i,
                      std::size_t n) {
  const std::size_t at = gate * units + i;
  const V y = sigmoid_of(hn::Add(load_first(row.x + at, n), load_first(row.products + at, n)));
  store_first(y, row.gates + at, n);
  return y;
}

void gru_row(std::size_t units, const CellRow& row) {
  in_lanes(units, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const V reset = gru_gate(units, row, 0, i, n), update = gru_gate(units, row, 1, i, n);
    const V product = load_first(row.products + 2 * units + i, n);
    store_first(product, row.inner + i, n);
    gru_state(units, row, i, n, update,
              hn::MulAdd(reset, product, load_first(row.x + 2 * units + i, n)));
  });
}

void gru_before_gates(std::size_t units, const CellRow& row) {
  in_lanes(units, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const V reset = gru_gate(units, row, 0, i, n);
    gru_gate(units, row, 1, i, n);
    store_first(hn::Mul(reset, load_first(row.h + i, n)), row.inner + i, n);
  });
}

void gru_before_state(std::size_t units, const CellRow& row) {
  in_lanes(units, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const std::size_t at = 2 * units + i;
    gru_state(units, row, i, n, load_first(row.gates + units + i, n),
              hn::Add(load_first(row.x + at, n), load_first(row.products + at, n)));
  });
}

class Forward {
 public:
  Forward(const Recurrence& r, const float* x, const RecurrentTrace& trace, Scratch& memory)
      : r_(r),
        x_(x),
        trace_(trace),
        h_(r.units),
        columns_(static_cast<std::size_t>(gates_of(r.cell)) * r.units),
        first_(r.cell == RecurrentCell::gru_reset_before ? 2 * r.units : columns_) {
    const std::size_t size = packed_size(h_, first_), rest = packed_size(h_, columns_ - first_);
    float* scratch = memory.floats(size + rest + r.rows * columns_);
    w_ = pack_all({r.w, columns_, 1}, h_, first_, scratch);
    if (first_ < columns_)
      candidate_ = pack_all({r.w + first_, columns_, 1}, h_, h_, scratch + size);
    products_ = scratch + size + rest;
  }

  void step(std::size_t s) {
    const std::size_t state = r_.rows * h_;
    Product product;
    product.m = r_.rows;
    product.a = {trace_.states + s * state, h_, 1};
    product.c = products_, product.ldc = columns_;
    product.bias = r_.bias;
    multiply_packed(w_, product);
    switch (r_.cell) {
      case RecurrentCell::elman:
        return each_row(s, elman_row);
      case RecurrentCell::lstm:
        return each_row(s, lstm_row);
      case RecurrentCell::gru:
        return each_row(s, gru_row);
      case RecurrentCell::gru_reset_before:
        break;
    }
    each_row(s, gru_before_gates);
    product.a = {trace_.inner + s * state, h_, 1};
    product.c = products_ + first_;
    product.bias = r_.bias ? r_.bias + first_ : nullptr;
    multiply_packed(candidate_, product);
    each_row(s, gru_before_state);
  }

 private:
  template <class F>
  HWY_INLINE void each_row(std::size_t s, const F& f) {
    const std::size_t position = position_of(r_, s);
    for (std::size_t b = 0; b < r_.rows; ++b) {
      const std::size_t now = (s * r_.rows + b) * h_, next = now + r_.rows * h_;
      CellRow row = {};
      row.x = x_ + (b * r_.steps + position) * columns_;
      row.products = products_ + b * columns_;
      row.h = trace_.states + now, row.new_h = trace_.states + next;
      if (trace_.cells) row.c = trace_.cells + now, row.new_c = trace_.cells + next;
      if (trace_.gates) row.gates = trace_.gates + (s * r_.rows + b) * columns_;
      if (trace_.inner) row.inner = trace_.inner + now;
      if (!is_padding(r_, b, position)) {
        f(h_, row);
        continue;
      }
      copy_row(h_, row.h, row.new_h);
      if (row.c) copy_row(h_, row.c, row.new_c);
      if (row.inner) std::fill_n(row.inner, h_, 0.0F);
    }
  }

  const Recurrence& r_;
  const float* x_;
  const RecurrentTrace& trace_;
  std::size_t h_, columns_, first_;  // columns whose product is that of the state itself
  PackedMatrix w_, candidate_;
  float* products_;
};

void put_initial(std::size_t count, const float* initial, float* to) {
  if (!to) return;
  if (initial)
    copy_row(count, initial, to);
  else
    std::fill_n(to, count, 0.0F);
}

void forward(const Recurrence& r, const float* x, const StatePair<const float*>& initial,
             const RecurrentTrace& trace, float* y, const StatePair<float*>& last,
             Scratch& memory) {
  const std::size_t state = r.rows * r.units;
  put_initial(state, initial.hidden, trace.states);
  put_initial(state, initial.cell, trace.cells);
  Forward forward(r, x, trace, memory);
  for (std::size_t s = 0; s < r.steps; ++s) {
    forward.step(s);
    const float* h = trace.states + (s + 1) * state;
    float* to = y + position_of(r, s) * r.units;
    for (std::size_t b = 0; b < r.rows; ++b)
      copy_row(r.units, h + b * r.units, to + b * r.steps * r.units);
  }
  if (last.hidden) copy_row(state, trace.states + r.steps * state, last.hidden);
  if (last.cell) copy_row(state, trace.cells + r.steps * state, last.cell);
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(forward);

void recurrent_forward(const Recurrence& r, const float* x, const StatePair<const float*>& initial,
                       const RecurrentTrace& trace, float* y, const StatePair<float*>& last,
                       Workspace& workspace) {
  HWY_DYNAMIC_DISPATCH(forward)(r, x, initial, trace, y, last, workspace.impl().scratch);
}

}  // namespace assay
#endif
