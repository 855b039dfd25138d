// What the kernels share, once per Highway target. Included after foreach_target.h, without an
// ordinary guard.
#if defined(ASSAY_TENSOR_KERNELS_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_TENSOR_KERNELS_SIMD_INL_H_
#undef ASSAY_TENSOR_KERNELS_SIMD_INL_H_
#else
#define ASSAY_TENSOR_KERNELS_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

// Lambdas do not inherit the target of the function around them; these must be part of it.
#ifndef ASSAY_INLINE_BODY
// A function of a header whose body stands once for each target: inlining all into all makes builds
// slow, with sanitizers above all.
#define ASSAY_OUTLINED inline HWY_NOINLINE
#define ASSAY_INLINE_BODY HWY_ATTR __attribute__((always_inline))
#ifdef __clang__
#define ASSAY_UNROLL _Pragma("clang loop unroll(full)")
#else
#define ASSAY_UNROLL _Pragma("GCC unroll 64")
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using V = hn::Vec<Floats>;
constexpr Floats kFloats{};
constexpr Ints kInts{};
constexpr std::size_t kLanes = hn::MaxLanes(kFloats);

HWY_INLINE V set(float x) {
  return hn::Set(kFloats, x);
}
HWY_INLINE V zero() {
  return hn::Zero(kFloats);
}
HWY_INLINE V load(const float* p) {
  return hn::LoadU(kFloats, p);
}
HWY_INLINE void store(V v, float* p) {
  hn::StoreU(v, kFloats, p);
}

/// The first n floats at p, then zeros; touches no others. n = kLanes known when compiled costs
/// nothing.
HWY_INLINE V load_first(const float* p, std::size_t n) {
  if (n >= kLanes) return load(p);
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN float part[kLanes] = {};
  for (std::size_t i = 0; i < n; ++i) part[i] = p[i];
  return hn::Load(kFloats, part);
#else
  return hn::MaskedLoad(hn::FirstN(kFloats, n), kFloats, p);
#endif
}
HWY_INLINE void store_first(V v, float* p, std::size_t n) {
  if (n >= kLanes) return store(v, p);
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN float part[kLanes];
  hn::Store(v, kFloats, part);
  for (std::size_t i = 0; i < n; ++i) p[i] = part[i];
#else
  hn::BlendedStore(v, hn::FirstN(kFloats, n), kFloats, p);
#endif
}

/// body(i, n) for each run of n <= kLanes elements from i on. Each element is computed in the same
/// way, wherever it stands.
template <class Body>
HWY_INLINE void in_lanes(std::size_t count, const Body& body) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) body(i, kLanes);
  if (i < count) body(i, count - i);
}

/// v with zeros after its first n lanes.
HWY_INLINE V keep_first(V v, std::size_t n) {
  return n >= kLanes ? v : hn::IfThenElseZero(hn::FirstN(kFloats, n), v);
}

/// Folds a row into one vector: sum = step(i, n, sum) for each run of n <= kLanes elements, in four
/// chains. step must leave the lanes past n as they are.
template <class Step, class Join>
HWY_INLINE V fold_row(std::size_t count, V start, const Step& step, const Join& join) {
  V s0 = start, s1 = start, s2 = start, s3 = start;
  std::size_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    s0 = step(i, kLanes, s0);
    s1 = step(i + kLanes, kLanes, s1);
    s2 = step(i + 2 * kLanes, kLanes, s2);
    s3 = step(i + 3 * kLanes, kLanes, s3);
  }
  for (; i + kLanes <= count; i += kLanes) s0 = step(i, kLanes, s0);
  if (i < count) s1 = step(i, count - i, s1);
  return join(join(s0, s1), join(s2, s3));
}
struct Sum {
  HWY_INLINE V operator()(V a, V b) const { return hn::Add(a, b); }
};
struct Maximum {
  HWY_INLINE V operator()(V a, V b) const { return hn::Max(a, b); }
};

HWY_INLINE float sum_lanes(V v) {
  return hn::GetLane(hn::SumOfLanes(kFloats, v));
}
HWY_INLINE float max_lanes(V v) {
  return hn::GetLane(hn::MaxOfLanes(kFloats, v));
}

/// exp(x + more) = p 2^n: the polynomial is that of Cephes' expf (Moshier, 1992), relative error
/// below 1.2e-7. more...: nothing, or what rounding took from x. n is found by adding 1.5 2^23,
/// which leaves it in the low bits of the sum.
struct ExpParts {
  V p;
  hn::Vec<Ints> n;  // in the low bits
};
template <class... More>
HWY_INLINE ExpParts exp_parts(V x, More... more) {
  const V magic = set(12582912.0F);
  const V shifted = hn::MulAdd(x, set(1.44269504088896341F), magic);
  const V n = hn::Sub(shifted, magic);
  V r = hn::NegMulAdd(n, set(0.693359375F), x);  // ln 2, its first bits: times n without rounding
  r = hn::NegMulAdd(n, set(-2.12194440e-4F), r);
  ((r = hn::Add(r, more)), ...);
  V p = set(1.9875691500e-4F);
  p = hn::MulAdd(p, r, set(1.3981999507e-3F));
  p = hn::MulAdd(p, r, set(8.3334519073e-3F));
  p = hn::MulAdd(p, r, set(4.1665795894e-2F));
  p = hn::MulAdd(p, r, set(1.6666665459e-1F));
  p = hn::MulAdd(p, r, set(5.0000001201e-1F));
  p = hn::MulAdd(p, hn::Mul(r, r), hn::Add(r, set(1.0F)));
  return {p, hn::BitCast(kInts, shifted)};
}
/// 2^n for n in [-126, 127].
HWY_INLINE V power_of_two(hn::Vec<Ints> n) {
  return hn::BitCast(kFloats, hn::Add(hn::ShiftLeft<23>(n), hn::Set(kInts, 127 << 23)));
}

/// exp(x + more...) for x <= 0 and little more; 0 below -87.33, where the result would be denormal.
/// NaN stays NaN.
template <class... More>
HWY_INLINE V exp_nonpositive(V x, More... more) {
  const ExpParts e = exp_parts(x, more...);
  return hn::IfThenZeroElse(hn::Lt(x, set(-87.33F)), hn::Mul(e.p, power_of_two(e.n)));
}

/// The largest of x[0 .. count); -infinity if there is none.
HWY_INLINE float row_max(const float* x, std::size_t count) {
  const V least = set(-HUGE_VALF);
  return max_lanes(fold_row(
      count, least,
      [=](std::size_t i, std::size_t n, V m) ASSAY_INLINE_BODY {
        const V v = load_first(x + i, n);
        return hn::Max(m, n >= kLanes ? v : hn::IfThenElse(hn::FirstN(kFloats, n), v, least));
      },
      Maximum()));
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
