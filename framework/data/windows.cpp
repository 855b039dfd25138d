#include "data/windows.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <random>

#include "base/random.h"

namespace assay {
namespace {

// A bijection of {0, ..., size - 1}.
class Permutation {
 public:
  Permutation(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch)
      : size_(size),
        half_bits_((std::bit_width(size - 1) + 1) / 2),
        random_(seed, "order", epoch) {}

  std::uint64_t operator()(std::uint64_t index) const {
    if (size_ == 1) return 0;
    do index = shuffle(index);
    while (index >= size_);
    return index;
  }

 private:
  static constexpr std::uint64_t kRounds = 6;

  // On {0, ..., 4^half_bits - 1}.
  std::uint64_t shuffle(std::uint64_t index) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = index >> half_bits_, right = index & mask;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t mixed = left ^ (random_.bits((round << 32) | right) & mask);
      left = right;
      right = mixed;
    }
    return (left << half_bits_) | right;
  }

  std::uint64_t size_;
  int half_bits_;
  Random random_;
};

std::vector<Example> drawn_examples(std::int64_t examples, std::uint64_t seed, std::int64_t step,
                                    std::int64_t count) {
  const Random random(seed, "batch", static_cast<std::uint64_t>(step));
  std::vector<Example> result(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i].index =
        static_cast<std::int64_t>(random.below(i, static_cast<std::uint64_t>(examples)));
  return result;
}

std::vector<Example> shuffled_examples(std::int64_t examples, std::uint64_t seed, std::int64_t step,
                                       std::int64_t count) {
  std::vector<Example> result;
  result.reserve(static_cast<std::size_t>(count));
  std::int64_t epoch = -1;
  std::optional<Permutation> order;
  for (std::int64_t i = step * count; i < (step + 1) * count; ++i) {
    if (i / examples != epoch) {
      epoch = i / examples;
      order.emplace(static_cast<std::uint64_t>(examples), seed, static_cast<std::uint64_t>(epoch));
    }
    result.push_back(
        {static_cast<std::int64_t>((*order)(static_cast<std::uint64_t>(i % examples))), 0});
  }
  return result;
}

}  // namespace

std::vector<Example> evaluation_windows(std::int64_t examples, std::uint32_t seed,
                                        std::int64_t count) {
  std::mt19937 draw(seed);
  const std::int64_t modulus = std::max<std::int64_t>(1, examples - 1);
  std::vector<Example> result(static_cast<std::size_t>(count));
  for (Example& example : result) example.index = static_cast<std::int64_t>(draw()) % modulus;
  return result;
}

std::vector<Example> training_examples(bool shuffled, std::int64_t examples, std::uint64_t seed,
                                       std::int64_t step, std::int64_t count) {
  return shuffled ? shuffled_examples(examples, seed, step, count)
                  : drawn_examples(examples, seed, step, count);
}

}  // namespace assay
