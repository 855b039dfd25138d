#include "tensor/kernels/elementwise.h"

#include <algorithm>
#include <cassert>

#include "tensor/kernels/highway_targets.h"
#include "tensor/kernels/update.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/elementwise.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

struct Adding {
  static HWY_INLINE V apply(V a, V b) { return hn::Add(a, b); }
};
struct Subtracting {
  static HWY_INLINE V apply(V a, V b) { return hn::Sub(a, b); }
};
struct Multiplying {
  static HWY_INLINE V apply(V a, V b) { return hn::Mul(a, b); }
};

template <bool kAccumulate>
HWY_INLINE void put(V v, float* out, std::size_t n) {
  if constexpr (kAccumulate) v = hn::Add(load_first(out, n), v);
  store_first(v, out, n);
}

template <class Operation, bool kAccumulate>
HWY_INLINE void combine(std::size_t count, const float* a, const float* b, float* out) {
  in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    put<kAccumulate>(Operation::apply(load_first(a + i, n), load_first(b + i, n)), out + i, n);
  });
}

// Row by row: a [rows, width] with b [width]. One row is the plain case.
template <class Operation>
HWY_INLINE void combine_rows(std::size_t rows, std::size_t width, const float* a, const float* b,
                             Into out) {
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t at = row * width;
    if (out.accumulate)
      combine<Operation, true>(width, a + at, b, out.data + at);
    else
      combine<Operation, false>(width, a + at, b, out.data + at);
  }
}

void add_rows(std::size_t rows, std::size_t width, const float* a, const float* b, Into out) {
  combine_rows<Adding>(rows, width, a, b, out);
}
void subtract_rows(std::size_t rows, std::size_t width, const float* a, const float* b, Into out) {
  combine_rows<Subtracting>(rows, width, a, b, out);
}
void multiply_rows(std::size_t rows, std::size_t width, const float* a, const float* b, Into out) {
  combine_rows<Multiplying>(rows, width, a, b, out);
}

void scale_all(std::size_t count, const float* a, float factor, Into out) {
  const V f = set(factor);
  if (out.accumulate)
    in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      store_first(hn::MulAdd(load_first(a + i, n), f, load_first(out.data + i, n)), out.data + i,
                  n);
    });
  else
    in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      store_first(hn::Mul(load_first(a + i, n), f), out.data + i, n);
    });
}

// Sums of columns i to i + kVectors x lanes, the rows in order, in registers.
template <std::size_t kVectors, bool kProducts>
HWY_INLINE void sum_strip(std::size_t rows, std::size_t width, const float* a, const float* b,
                          Into out, std::size_t n) {
  V sum[kVectors];
  ASSAY_UNROLL
  for (std::size_t v = 0; v < kVectors; ++v)
    sum[v] = out.accumulate ? load_first(out.data + v * kLanes, n) : zero();
  for (std::size_t row = 0; row < rows; ++row) {
    ASSAY_UNROLL
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = row * width + v * kLanes;
      if constexpr (kProducts)
        sum[v] = hn::MulAdd(load_first(a + at, n), load_first(b + at, n), sum[v]);
      else
        sum[v] = hn::Add(sum[v], load_first(a + at, n));
    }
  }
  ASSAY_UNROLL
  for (std::size_t v = 0; v < kVectors; ++v) store_first(sum[v], out.data + v * kLanes, n);
}

template <bool kProducts>
HWY_INLINE void sum_rows(std::size_t rows, std::size_t width, const float* a, const float* b,
                         Into out) {
  std::size_t i = 0;
  for (; i + 8 * kLanes <= width; i += 8 * kLanes)
    sum_strip<8, kProducts>(rows, width, a + i, b + i, {out.data + i, out.accumulate}, kLanes);
  for (; i + 2 * kLanes <= width; i += 2 * kLanes)
    sum_strip<2, kProducts>(rows, width, a + i, b + i, {out.data + i, out.accumulate}, kLanes);
  for (; i < width; i += kLanes)
    sum_strip<1, kProducts>(rows, width, a + i, b + i, {out.data + i, out.accumulate},
                            std::min(kLanes, width - i));
}

void sum_columns(std::size_t rows, std::size_t width, const float* a, Into out) {
  sum_rows<false>(rows, width, a, a, out);
}
void sum_columns_of_products(std::size_t rows, std::size_t width, const float* a, const float* b,
                             Into out) {
  sum_rows<true>(rows, width, a, b, out);
}

// Four chains of doubles: the order depends on the length and the target only.
template <bool kSquares>
HWY_INLINE double sum_in_double(std::size_t count, const float* a) {
  const hn::ScalableTag<double> doubles;
  const hn::Rebind<float, hn::ScalableTag<double>> halves;
  constexpr std::size_t kStep = hn::MaxLanes(doubles);
  auto s0 = hn::Zero(doubles), s1 = s0, s2 = s0, s3 = s0;
  std::size_t i = 0;
  for (; i + 4 * kStep <= count; i += 4 * kStep) {
    const auto x0 = hn::PromoteTo(doubles, hn::LoadU(halves, a + i));
    const auto x1 = hn::PromoteTo(doubles, hn::LoadU(halves, a + i + kStep));
    const auto x2 = hn::PromoteTo(doubles, hn::LoadU(halves, a + i + 2 * kStep));
    const auto x3 = hn::PromoteTo(doubles, hn::LoadU(halves, a + i + 3 * kStep));
    s0 = hn::Add(s0, kSquares ? hn::Mul(x0, x0) : x0);
    s1 = hn::Add(s1, kSquares ? hn::Mul(x1, x1) : x1);
    s2 = hn::Add(s2, kSquares ? hn::Mul(x2, x2) : x2);
    s3 = hn::Add(s3, kSquares ? hn::Mul(x3, x3) : x3);
  }
  double sum = hn::GetLane(hn::SumOfLanes(doubles, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < count; ++i) {
    const double x = a[i];
    sum += kSquares ? x * x : x;
  }
  return sum;
}
double sum_all(std::size_t count, const float* a) {
  return sum_in_double<false>(count, a);
}
double sum_all_squares(std::size_t count, const float* a) {
  return sum_in_double<true>(count, a);
}

void adam(const AdamStep& step, std::size_t count, float* weights, const float* gradient,
          float* first, float* second) {
  const V beta1 = set(step.beta1), beta2 = set(step.beta2);
  const V rest1 = set(1.0F - step.beta1), rest2 = set(1.0F - step.beta2);
  const V keep = set(1.0F - step.decoupled_decay), l2 = set(step.l2);
  const V size = set(step.step_size), scale = set(step.second_scale), epsilon = set(step.epsilon);
  in_lanes(count, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
    const V w = load_first(weights + i, n);
    const V g = hn::MulAdd(w, l2, load_first(gradient + i, n));
    const V m = hn::MulAdd(beta1, load_first(first + i, n), hn::Mul(rest1, g));
    const V v = hn::MulAdd(beta2, load_first(second + i, n), hn::Mul(rest2, hn::Mul(g, g)));
    store_first(m, first + i, n);
    store_first(v, second + i, n);
    const V root = hn::MulAdd(hn::Sqrt(v), scale, epsilon);
    store_first(hn::NegMulAdd(size, hn::Div(m, root), hn::Mul(w, keep)), weights + i, n);
  });
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(add_rows);
HWY_EXPORT(subtract_rows);
HWY_EXPORT(multiply_rows);
HWY_EXPORT(scale_all);
HWY_EXPORT(sum_columns);
HWY_EXPORT(sum_columns_of_products);
HWY_EXPORT(sum_all);
HWY_EXPORT(sum_all_squares);
HWY_EXPORT(adam);

void copy(std::span<const float> a, Into out) {
  if (out.accumulate)
    add(a, {out.data, a.size()}, {out.data, false});
  else if (!a.empty() && out.data != a.data())
    std::copy(a.begin(), a.end(), out.data);
}
void add(std::span<const float> a, std::span<const float> b, Into out) {
  assert(a.size() == b.size());
  HWY_DYNAMIC_DISPATCH(add_rows)(1, a.size(), a.data(), b.data(), out);
}
void subtract(std::span<const float> a, std::span<const float> b, Into out) {
  assert(a.size() == b.size());
  HWY_DYNAMIC_DISPATCH(subtract_rows)(1, a.size(), a.data(), b.data(), out);
}
void multiply(std::span<const float> a, std::span<const float> b, Into out) {
  assert(a.size() == b.size());
  HWY_DYNAMIC_DISPATCH(multiply_rows)(1, a.size(), a.data(), b.data(), out);
}
void scale(std::span<const float> a, float factor, Into out) {
  HWY_DYNAMIC_DISPATCH(scale_all)(a.size(), a.data(), factor, out);
}

void add_repeated(std::span<const float> a, std::span<const float> b, Into out) {
  assert(!b.empty() && a.size() % b.size() == 0);
  HWY_DYNAMIC_DISPATCH(add_rows)(a.size() / b.size(), b.size(), a.data(), b.data(), out);
}
void subtract_repeated(std::span<const float> a, std::span<const float> b, Into out) {
  assert(!b.empty() && a.size() % b.size() == 0);
  HWY_DYNAMIC_DISPATCH(subtract_rows)(a.size() / b.size(), b.size(), a.data(), b.data(), out);
}
void multiply_repeated(std::span<const float> a, std::span<const float> b, Into out) {
  assert(!b.empty() && a.size() % b.size() == 0);
  HWY_DYNAMIC_DISPATCH(multiply_rows)(a.size() / b.size(), b.size(), a.data(), b.data(), out);
}

void column_sums(std::int64_t rows, std::int64_t width, const float* a, Into out) {
  HWY_DYNAMIC_DISPATCH(sum_columns)
  (static_cast<std::size_t>(rows), static_cast<std::size_t>(width), a, out);
}
void column_sums_of_products(std::int64_t rows, std::int64_t width, const float* a, const float* b,
                             Into out) {
  HWY_DYNAMIC_DISPATCH(sum_columns_of_products)
  (static_cast<std::size_t>(rows), static_cast<std::size_t>(width), a, b, out);
}
double sum(std::span<const float> a) {
  return HWY_DYNAMIC_DISPATCH(sum_all)(a.size(), a.data());
}

void add_into(std::span<float> a, std::span<const float> b) {
  add(a, b, {a.data(), false});
}
void scale_in_place(std::span<float> a, float factor) {
  scale(a, factor, {a.data(), false});
}
void add_scaled(std::span<float> a, float factor, std::span<const float> b) {
  assert(a.size() == b.size());
  scale(b, factor, {a.data(), true});
}
double sum_of_squares(std::span<const float> a) {
  return HWY_DYNAMIC_DISPATCH(sum_all_squares)(a.size(), a.data());
}
void adam_update(const AdamStep& step, std::span<float> weights, std::span<const float> gradient,
                 std::span<float> first_moment, std::span<float> second_moment) {
  assert(gradient.size() == weights.size() && first_moment.size() == weights.size() &&
         second_moment.size() == weights.size());
  HWY_DYNAMIC_DISPATCH(adam)
  (step, weights.size(), weights.data(), gradient.data(), first_moment.data(),
   second_moment.data());
}

}  // namespace assay
#endif
