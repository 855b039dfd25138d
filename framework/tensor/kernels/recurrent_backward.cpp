#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/highway_targets.h"
#include "tensor/kernels/recurrent.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/recurrent_backward.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/recurrent_step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

// One row of one step, where it is no padding. dh comes as the gradient of the new state and leaves
// as the part of the old state's that does not pass through the products.
struct CellRowBack {
  const float *h, *new_h, *c, *gates, *inner;
  float *dh, *dc, *dproducts, *dx, *dreset;  // dreset: of r h, for gru_reset_before
  bool accumulate;                           // dx
};

HWY_INLINE void put_dx(const CellRowBack& row, std::size_t at, std::size_t n, V d) {
  if (!row.dx) return;
  store_first(row.accumulate ? hn::Add(load_first(row.dx + at, n), d) : d, row.dx + at, n);
}
HWY_INLINE void put_both(const CellRowBack& row, std::size_t at, std::size_t n, V d) {
  store_first(d, row.dproducts + at, n);
  put_dx(row, at, n, d);
}

// da = dh' (1 - h'^2)
void elman_back(std::size_t units, const CellRowBack& row) {
  in_lanes(units, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const V slope = slope_of_tanh(load_first(row.new_h + i, n));
    put_both(row, i, n, hn::Mul(load_first(row.dh + i, n), slope));
    store_first(zero(), row.dh + i, n);
  });
}

// dc' += dh' o (1 - tanh(c')^2), then each gate: its share of dc' or dh' times its slope
void lstm_back(std::size_t units, const CellRowBack& row) {
  in_lanes(units, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const auto gate = [=](std::size_t k)
                          ASSAY_INLINE_BODY { return load_first(row.gates + k * units + i, n); };
    const V in = gate(0), forget = gate(1), fresh = gate(2), out = gate(3);
    const V squashed = load_first(row.inner + i, n), dh = load_first(row.dh + i, n);
    const V dc = hn::MulAdd(hn::Mul(dh, out), slope_of_tanh(squashed), load_first(row.dc + i, n));
    put_both(row, i, n, hn::Mul(hn::Mul(dc, fresh), slope_of_sigmoid(in)));
    put_both(row, units + i, n,
             hn::Mul(hn::Mul(dc, load_first(row.c + i, n)), slope_of_sigmoid(forget)));
    put_both(row, 2 * units + i, n, hn::Mul(hn::Mul(dc, in), slope_of_tanh(fresh)));
    put_both(row, 3 * units + i, n, hn::Mul(hn::Mul(dh, squashed), slope_of_sigmoid(out)));
    store_first(hn::Mul(dc, forget), row.dc + i, n);
    store_first(zero(), row.dh + i, n);
  });
}

// dz and dn from h' = n + z (h - n); returns the gradient of the argument of n's tanh.
HWY_INLINE V gru_state_back(std::size_t units, const CellRowBack& row, std::size_t i,
                            std::size_t n) {
  const V update = load_first(row.gates + units + i, n);
  const V fresh = load_first(row.gates + 2 * units + i, n);
  const V dh = load_first(row.dh + i, n), h = load_first(row.h + i, n);
  put_both(row, units + i, n, hn::Mul(hn::Mul(dh, hn::Sub(h, fresh)), slope_of_sigmoid(update)));
  const V kept = hn::Mul(dh, update);
  store_first(kept, row.dh + i, n);
  return hn::Mul(hn::Sub(dh, kept), slope_of_tanh(fresh));
}

void gru_back(std::size_t units, const CellRowBack& row) {
  in_lanes(units, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const V d = gru_state_back(units, row, i, n), reset = load_first(row.gates + i, n);
    put_both(row, i, n, hn::Mul(hn::Mul(d, load_first(row.inner + i, n)), slope_of_sigmoid(reset)));
    put_dx(row, 2 * units + i, n, d);
    store_first(hn::Mul(d, reset), row.dproducts + 2 * units + i, n);
  });
}

void gru_before_state_back(std::size_t units, const CellRowBack& row) {
  in_lanes(units, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    put_both(row, 2 * units + i, n, gru_state_back(units, row, i, n));
  });
}

void gru_before_gates_back(std::size_t units, const CellRowBack& row) {
  in_lanes(units, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const V reset = load_first(row.gates + i, n), d = load_first(row.dreset + i, n);
    put_both(row, i, n, hn::Mul(hn::Mul(d, load_first(row.h + i, n)), slope_of_sigmoid(reset)));
    store_first(hn::MulAdd(d, reset, load_first(row.dh + i, n)), row.dh + i, n);
  });
}

void add_row(std::size_t count, const float* from, float* to) {
  in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    store_first(hn::Add(load_first(to + i, n), load_first(from + i, n)), to + i, n);
  });
}

class Backward {
 public:
  Backward(const Recurrence& r, const RecurrentTrace& trace, float* dproducts, Into dx,
           Scratch& memory)
      : r_(r),
        trace_(trace),
        dproducts_(dproducts),
        dx_(dx),
        h_(r.units),
        columns_(static_cast<std::size_t>(gates_of(r.cell)) * r.units),
        first_(r.cell == RecurrentCell::gru_reset_before ? 2 * r.units : columns_) {
    const std::size_t state = r.rows * h_;
    const std::size_t size = packed_size(first_, h_), rest = packed_size(columns_ - first_, h_);
    float* scratch = memory.floats(size + rest + 3 * state);
    w_ = pack_all({r.w, 1, columns_}, first_, h_, scratch);
    if (first_ < columns_)
      candidate_ = pack_all({r.w + first_, 1, columns_}, h_, h_, scratch + size);
    dh_ = scratch + size + rest;
    dc_ = dh_ + state;
    dreset_ = dc_ + state;
  }

  float* dh() { return dh_; }
  float* dc() { return dc_; }

  /// dh and dc: of the state after step s before, of the one before it afterwards.
  void step(std::size_t s) {
    Product product;
    product.m = r_.rows;
    product.ldc = h_;
    const float* d = dproducts_ + s * r_.rows * columns_;
    switch (r_.cell) {
      case RecurrentCell::elman:
        each_row(s, elman_back);
        break;
      case RecurrentCell::lstm:
        each_row(s, lstm_back);
        break;
      case RecurrentCell::gru:
        each_row(s, gru_back);
        break;
      case RecurrentCell::gru_reset_before:
        each_row(s, gru_before_state_back);
        product.a = {d + first_, columns_, 1};
        product.c = dreset_;
        multiply_packed(candidate_, product);
        each_row(s, gru_before_gates_back);
        break;
    }
    product.a = {d, columns_, 1};
    product.c = dh_;
    product.accumulate = true;
    multiply_packed(w_, product);
  }

 private:
  template <class F>
  HWY_INLINE void each_row(std::size_t s, const F& f) {
    const std::size_t position = position_of(r_, s);
    for (std::size_t b = 0; b < r_.rows; ++b) {
      const std::size_t now = (s * r_.rows + b) * h_, gates = (s * r_.rows + b) * columns_;
      CellRowBack row = {};
      row.h = trace_.states + now, row.new_h = row.h + r_.rows * h_;
      if (trace_.cells) row.c = trace_.cells + now;
      if (trace_.gates) row.gates = trace_.gates + gates;
      if (trace_.inner) row.inner = trace_.inner + now;
      row.dh = dh_ + b * h_, row.dc = dc_ + b * h_, row.dreset = dreset_ + b * h_;
      row.dproducts = dproducts_ + gates;
      if (dx_.data) row.dx = dx_.data + (b * r_.steps + position) * columns_;
      row.accumulate = dx_.accumulate;
      if (!is_padding(r_, b, position)) {
        f(h_, row);
        continue;
      }
      std::fill_n(row.dproducts, columns_, 0.0F);
      if (row.dx && !row.accumulate) std::fill_n(row.dx, columns_, 0.0F);
    }
  }

  const Recurrence& r_;
  const RecurrentTrace& trace_;
  float* dproducts_;
  Into dx_;
  std::size_t h_, columns_, first_;  // columns whose product is that of the state itself
  PackedMatrix w_, candidate_;       // transposed
  float *dh_, *dc_, *dreset_;
};

void start_from(std::size_t count, const float* gradient, float* d) {
  if (gradient)
    copy_row(count, gradient, d);
  else
    std::fill_n(d, count, 0.0F);
}

void backward(const Recurrence& r, const RecurrentTrace& trace, const float* dy,
              const StatePair<const float*>& dlast, float* dproducts, Into dx,
              const StatePair<Into>& dinitial, Scratch& memory) {
  const std::size_t state = r.rows * r.units;
  Backward backward(r, trace, dproducts, dx, memory);
  start_from(state, dlast.hidden, backward.dh());
  start_from(state, dlast.cell, backward.dc());
  for (std::size_t s = r.steps; s-- > 0;) {
    const float* from = dy ? dy + position_of(r, s) * r.units : nullptr;
    for (std::size_t b = 0; from && b < r.rows; ++b)
      add_row(r.units, from + b * r.steps * r.units, backward.dh() + b * r.units);
    backward.step(s);
  }
  if (dinitial.hidden.data) assay::copy({backward.dh(), state}, dinitial.hidden);
  if (dinitial.cell.data) assay::copy({backward.dc(), state}, dinitial.cell);
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(backward);

void recurrent_backward(const Recurrence& r, const RecurrentTrace& trace, const float* dy,
                        const StatePair<const float*>& dlast, float* dproducts, Into dx,
                        const StatePair<Into>& dinitial, Workspace& workspace) {
  HWY_DYNAMIC_DISPATCH(backward)
  (r, trace, dy, dlast, dproducts, dx, dinitial, workspace.impl().scratch);
}

}  // namespace assay
#endif
