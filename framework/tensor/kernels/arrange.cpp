// Dropout and transposition: the parts of elementwise.h that move or draw.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/arrange.cpp"
#include <hwy/foreach_target.h>

#include "tensor/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

constexpr std::size_t kWords = 512;  // drawn at a time

#if HWY_TARGET == HWY_SCALAR  // one lane: the other needs more

void draw_words(const Random& random, std::uint64_t first_block, std::uint32_t* out) {
  for (std::size_t at = 0; at < kWords / 4; ++at) {
    const auto block = random.block(first_block + at);
    std::copy(block.begin(), block.end(), out + 4 * at);
  }
}

#else

// Philox4x32-10 as in base/random.cpp, one block in each 64-bit lane: words live in the low halves;
// what is in the high halves is never looked at (MulEven reads low halves only).
void draw_words(const Random& random, std::uint64_t first_block, std::uint32_t* out) {
  const std::uint64_t key = random.key(), step = random.step();
  const hn::ScalableTag<std::uint64_t> wide;
  const hn::Repartition<std::uint32_t, decltype(wide)> narrow;
  constexpr std::size_t kBlocks = hn::MaxLanes(wide);
  const auto low = hn::Set(wide, 0xFFFFFFFFU);
  for (std::size_t at = 0; at < kWords / 4; at += kBlocks) {
    const auto index = hn::Iota(wide, first_block + at);
    auto c0 = index, c1 = hn::ShiftRight<32>(index);
    auto c2 = hn::Set(wide, step), c3 = hn::Set(wide, step >> 32);
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
      const auto p0 = hn::MulEven(hn::BitCast(narrow, c0), hn::Set(narrow, 0xD2511F53U));
      const auto p1 = hn::MulEven(hn::BitCast(narrow, c2), hn::Set(narrow, 0xCD9E8D57U));
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), hn::Set(wide, k0));
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), hn::Set(wide, k1));
      c1 = p1;
      c3 = p0;
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    const auto w01 = hn::Or(hn::And(c0, low), hn::ShiftLeft<32>(c1));
    const auto w23 = hn::Or(hn::And(c2, low), hn::ShiftLeft<32>(c3));
    hn::StoreInterleaved2(w01, w23, wide, reinterpret_cast<std::uint64_t*>(out + 4 * at));
  }
}

#endif

void drop(std::size_t count, const float* a, std::uint32_t threshold, float factor,
          const Random& random, std::uint64_t first, Into out) {
  const hn::RebindToUnsigned<Floats> words;
  const auto limit = hn::Set(words, threshold);
  const V f = set(factor);
  alignas(64)
      std::uint32_t drawn[kWords + kLanes] = {};  // the last full load may read past what is drawn
  std::size_t done = 0;
  while (done < count) {
    const std::uint64_t number = first + done;
    draw_words(random, number / 4, drawn);
    const std::size_t skip = number % 4;
    const std::size_t part = std::min(count - done, kWords - skip);
    const float* from = a + done;
    float* to = out.data + done;
    const std::uint32_t* draw = drawn + skip;
    const bool accumulate = out.accumulate;
    in_lanes(part, [=](std::size_t i, std::size_t n) ASSAY_INLINE_BODY {
      const auto dropped = hn::RebindMask(kFloats, hn::Lt(hn::LoadU(words, draw + i), limit));
      const V kept = hn::IfThenZeroElse(dropped, hn::Mul(load_first(from + i, n), f));
      store_first(accumulate ? hn::Add(load_first(to + i, n), kept) : kept, to + i, n);
    });
    done += part;
  }
}

void transpose_one(std::size_t rows, std::size_t columns, const float* a, Into out) {
  transpose_block(rows, columns, a, columns, 1.0F, {out.data, rows, out.accumulate});
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(drop);
HWY_EXPORT(transpose_one);

void dropout(std::span<const float> a, float p, const Random& random, std::uint64_t first,
             Into out) {
  assert(p >= 0 && p < 1);
  // A word w is below p as a fraction of 2^32 if and only if w < ceil(p 2^32).
  const auto threshold = static_cast<std::uint32_t>(std::ceil(static_cast<double>(p) * 0x1p32));
  HWY_DYNAMIC_DISPATCH(drop)
  (a.size(), a.data(), threshold, 1.0F / (1.0F - p), random, first, out);
}

void transpose(std::int64_t batch, std::int64_t rows, std::int64_t columns, const float* a,
               Into out) {
  for (std::int64_t i = 0; i < batch; ++i) HWY_DYNAMIC_DISPATCH(transpose_one)
  (static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), a + i * rows * columns,
   {out.data + i * rows * columns, out.accumulate});
}

}  // namespace assay
#endif
