#include "tensor/kernels/activations.h"

#include <cassert>

#include "tensor/kernels/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/activations.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/gates-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

// Phi(x) and phi(x) of the standard normal distribution, both from one exponential:
// Phi(-t) = exp(-t^2 / 2) erfcx(t / sqrt 2) / 2, and the second factor is smooth: a polynomial of
// degree 8 in s = 1 / (1 + 0.35 t), times s, interpolated at Chebyshev nodes for t <= 14, relative
// error 4e-8. t^2 is taken in two parts, one of them exact, so that the tail keeps its relative
// accuracy.
struct Normal {
  V cumulative, density;
};
HWY_INLINE Normal normal(V x) {
  const V t = hn::Abs(x);
  const auto high_bits = hn::Set(kInts, static_cast<std::int32_t>(0xFFFFF000U));
  const V t1 = hn::BitCast(kFloats, hn::And(hn::BitCast(kInts, t), high_bits));
  const V half = set(-0.5F);
  const V hi = hn::Mul(half, hn::Mul(t1, t1));
  const V lo = hn::Mul(half, hn::Mul(hn::Sub(t, t1), hn::Add(t, t1)));
  const V e = exp_nonpositive(hi, lo);
  const V s = hn::Div(set(1.0F), hn::MulAdd(t, set(0.35F), set(1.0F)));
  V r = set(-0.0296795220045F);
  r = hn::MulAdd(r, s, set(0.146545830293F));
  r = hn::MulAdd(r, s, set(-0.260961228295F));
  r = hn::MulAdd(r, s, set(0.165050995857F));
  r = hn::MulAdd(r, s, set(-0.0270466082671F));
  r = hn::MulAdd(r, s, set(0.107114587597F));
  r = hn::MulAdd(r, s, set(0.119444916846F));
  r = hn::MulAdd(r, s, set(0.139912298125F));
  r = hn::MulAdd(r, s, set(0.139618712561F));
  const V tail = hn::Mul(hn::Mul(r, s), e);
  const V cumulative = hn::IfThenElse(hn::Lt(x, zero()), tail, hn::Sub(set(1.0F), tail));
  return {cumulative, hn::Mul(e, set(0.398942280401432678F))};
}

void gelu(std::size_t count, const float* x, float* y) {
  in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const V v = load_first(x + i, n);
    store_first(hn::Mul(v, normal(v).cumulative), y + i, n);
  });
}

void silu(std::size_t count, const float* x, float* y) {
  in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const V v = load_first(x + i, n);
    store_first(hn::Mul(v, sigmoid_of(v)), y + i, n);
  });
}

// d(x s(x))/dx = s + x s(x) s(-x): 1 - s would lose digits, times x.
void silu_and_derivative(std::size_t count, float* x, float* y) {
  in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const V v = load_first(x + i, n);
    const V s = sigmoid_of(v);
    store_first(hn::Mul(v, s), y + i, n);
    store_first(hn::MulAdd(hn::Mul(v, s), sigmoid_of(hn::Neg(v)), s), x + i, n);
  });
}

void gelu_and_derivative(std::size_t count, float* x, float* y) {
  in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const V v = load_first(x + i, n);
    const Normal z = normal(v);
    store_first(hn::Mul(v, z.cumulative), y + i, n);
    store_first(hn::MulAdd(v, z.density, z.cumulative), x + i, n);
  });
}

// exp over the whole range: 2^n in two factors, since n reaches 128 and, for denormal results,
// -150.
HWY_INLINE V exp_full(V x) {
  const V bounded = hn::Min(hn::Max(x, set(-104.0F)), set(89.0F));
  const ExpParts e = exp_parts(bounded);
  const auto whole = hn::Sub(e.n, hn::Set(kInts, 0x4B400000));  // 1.5 2^23 as bits
  const auto half = hn::ShiftRight<1>(whole);
  const V y = hn::Mul(hn::Mul(e.p, power_of_two(half)), power_of_two(hn::Sub(whole, half)));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

struct Tanh {
  static HWY_INLINE V value(V x) { return tanh_of(x); }
  static HWY_INLINE V slope(V y) { return slope_of_tanh(y); }
};
struct Sigmoid {
  static HWY_INLINE V value(V x) { return sigmoid_of(x); }
  static HWY_INLINE V slope(V y) { return slope_of_sigmoid(y); }
};
struct Relu {
  // NaN stays NaN.
  static HWY_INLINE V value(V x) { return hn::IfThenZeroElse(hn::Lt(x, zero()), x); }
  static HWY_INLINE V slope(V y) { return hn::IfThenElseZero(hn::Gt(y, zero()), set(1.0F)); }
};
struct Exp {
  static HWY_INLINE V value(V x) { return exp_full(x); }
  static HWY_INLINE V slope(V y) { return y; }
};

template <class F>
HWY_INLINE void values(std::size_t count, const float* x, float* y) {
  in_lanes(count, [=](std::size_t i, std::size_t n)
                      ASSAY_INLINE_BODY { store_first(F::value(load_first(x + i, n)), y + i, n); });
}
template <class F>
HWY_INLINE void slopes(std::size_t count, const float* y, const float* dy, Into dx) {
  if (dx.accumulate)
    in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      const V slope = F::slope(load_first(y + i, n));
      store_first(hn::MulAdd(load_first(dy + i, n), slope, load_first(dx.data + i, n)), dx.data + i,
                  n);
    });
  else
    in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      store_first(hn::Mul(load_first(dy + i, n), F::slope(load_first(y + i, n))), dx.data + i, n);
    });
}

void apply(Activation f, std::size_t count, const float* x, float* y) {
  switch (f) {
    case Activation::tanh:
      return values<Tanh>(count, x, y);
    case Activation::sigmoid:
      return values<Sigmoid>(count, x, y);
    case Activation::relu:
      return values<Relu>(count, x, y);
    case Activation::exp:
      return values<Exp>(count, x, y);
  }
}
void apply_slope(Activation f, std::size_t count, const float* y, const float* dy, Into dx) {
  switch (f) {
    case Activation::tanh:
      return slopes<Tanh>(count, y, dy, dx);
    case Activation::sigmoid:
      return slopes<Sigmoid>(count, y, dy, dx);
    case Activation::relu:
      return slopes<Relu>(count, y, dy, dx);
    case Activation::exp:
      return slopes<Exp>(count, y, dy, dx);
  }
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(gelu);
HWY_EXPORT(gelu_and_derivative);
HWY_EXPORT(silu);
HWY_EXPORT(silu_and_derivative);
HWY_EXPORT(apply);
HWY_EXPORT(apply_slope);

void gelu_forward(std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  HWY_DYNAMIC_DISPATCH(gelu)(x.size(), x.data(), y.data());
}
void gelu_with_derivative(std::span<float> x, std::span<float> y) {
  assert(x.size() == y.size() && x.data() != y.data());
  HWY_DYNAMIC_DISPATCH(gelu_and_derivative)(x.size(), x.data(), y.data());
}
void silu_forward(std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  HWY_DYNAMIC_DISPATCH(silu)(x.size(), x.data(), y.data());
}
void silu_with_derivative(std::span<float> x, std::span<float> y) {
  assert(x.size() == y.size() && x.data() != y.data());
  HWY_DYNAMIC_DISPATCH(silu_and_derivative)(x.size(), x.data(), y.data());
}
void activate(Activation f, std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  HWY_DYNAMIC_DISPATCH(apply)(f, x.size(), x.data(), y.data());
}
void activation_backward(Activation f, std::span<const float> y, std::span<const float> dy,
                         Into dx) {
  assert(y.size() == dy.size());
  HWY_DYNAMIC_DISPATCH(apply_slope)(f, y.size(), y.data(), dy.data(), dx);
}

}  // namespace assay
#endif
