// Random numbers that are functions, not streams: Philox4x32-10 (Salmon, Moraes, Dror and Shaw,
// 2011, "Parallel random numbers: as easy as 1, 2, 3"), keyed by (seed, purpose), counted by (step,
// index).
//
//   Random draw(seed, "batch", step);
//   std::uint64_t start = draw.below(index, windows);
//
// There is no state: nothing to save, and nothing that the order of calls or the number of threads
// can change. Any thread may ask the same object.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/api.h"

namespace assay {

class ASSAY_API Random {
 public:
  /// purpose separates the uses within a run ("batch", "dropout/layer0"); step is the update, or 0.
  Random(std::uint64_t seed, std::string_view purpose, std::uint64_t step = 0);

  /// A stream of its own for a part of a whole: Random(seed, "init").with("layer0/attention/q").
  Random with(std::string_view purpose) const;

  std::array<std::uint32_t, 4> block(std::uint64_t index) const;
  std::uint64_t bits(std::uint64_t index) const;
  /// Uniform on [0, 1), a multiple of 2^-53.
  double uniform(std::uint64_t index) const;
  /// Uniform on {0, ..., n - 1}; bias at most n 2^-64. REQUIRES n >= 1.
  std::uint64_t below(std::uint64_t index, std::uint64_t n) const;
  /// Standard normal (Box and Muller, 1958, "A note on the generation of random normal deviates").
  double normal(std::uint64_t index) const;

  /// What block() is a function of, besides index: for kernels that draw many blocks at once.
  std::uint64_t key() const { return key_; }
  std::uint64_t step() const { return step_; }

 private:
  std::uint64_t key_, step_;
};

}  // namespace assay
