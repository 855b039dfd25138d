#include "base/fingerprint.h"

#include <array>
#include <bit>

namespace assay {
namespace {

constexpr std::size_t kLanes = 8;

std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) {
  const std::uint64_t product = (lane ^ word) * 0x9e3779b97f4a7c15U;
  return product ^ (product >> 32);
}

}  // namespace

std::uint64_t fingerprint(std::span<const float> values) {
  std::array<std::uint64_t, kLanes> lanes = {0, 1, 2, 3, 4, 5, 6, 7};
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k)
      lanes[k] = mixed(lanes[k], std::bit_cast<std::uint32_t>(values[i + k]));
  for (; i < values.size(); ++i)
    lanes[i % kLanes] = mixed(lanes[i % kLanes], std::bit_cast<std::uint32_t>(values[i]));
  std::uint64_t hash = values.size();
  for (const std::uint64_t lane : lanes) hash = mixed(hash, lane);
  return hash;
}

}  // namespace assay
