// The squashing functions of gates and units, once per Highway target.
#if defined(ASSAY_TENSOR_KERNELS_GATES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_TENSOR_KERNELS_GATES_INL_H_
#undef ASSAY_TENSOR_KERNELS_GATES_INL_H_
#else
#define ASSAY_TENSOR_KERNELS_GATES_INL_H_
#endif

#include "tensor/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

/// 1 / (1 + exp(-x)), accurate relative to itself also where it is small.
HWY_INLINE V sigmoid_of(V x) {
  const V e = exp_nonpositive(hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, zero()), e, set(1.0F)), hn::Add(e, set(1.0F)));
}

/// x p(x^2) / q(x^2), the minimax form of Eigen's ptanh: within 5e-7 of tanh(x), relative; 1 from
/// where it rounds to that. NaN stays NaN.
HWY_INLINE V tanh_of(V x) {
  const V s = hn::Mul(x, x);
  V p = set(-2.76076847742355e-16F);
  p = hn::MulAdd(p, s, set(2.00018790482477e-13F));
  p = hn::MulAdd(p, s, set(-8.60467152213735e-11F));
  p = hn::MulAdd(p, s, set(5.12229709037114e-08F));
  p = hn::MulAdd(p, s, set(1.48572235717979e-05F));
  p = hn::MulAdd(p, s, set(6.37261928875436e-04F));
  p = hn::MulAdd(p, s, set(4.89352455891786e-03F));
  V q = set(1.19825839466702e-06F);
  q = hn::MulAdd(q, s, set(1.18534705686654e-04F));
  q = hn::MulAdd(q, s, set(2.26843463243900e-03F));
  q = hn::MulAdd(q, s, set(4.89352518554385e-03F));
  const V one = set(1.0F);
  return hn::IfThenElse(hn::Ge(hn::Abs(x), set(7.99881172180175781F)), hn::CopySign(one, x),
                        hn::Div(hn::Mul(x, p), q));
}

/// The derivatives, by the values y of the functions.
HWY_INLINE V slope_of_tanh(V y) {
  return hn::NegMulAdd(y, y, set(1.0F));
}
HWY_INLINE V slope_of_sigmoid(V y) {
  return hn::NegMulAdd(y, y, y);
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
