#include "base/random.h"

#include <cmath>
#include <numbers>

#include "base/philox.h"

namespace assay {
namespace {

// Finaliser of SplitMix64 (Steele, Lea and Flood, 2014): spreads every input bit over the output.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

constexpr std::uint64_t hash(std::uint64_t start, std::string_view text) {
  std::uint64_t h = mix(start ^ 0xCBF29CE484222325u);
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3u;  // FNV-1a
  return mix(h ^ text.size());
}

}  // namespace

Random::Random(std::uint64_t seed, std::string_view purpose, std::uint64_t step)
    : key_(hash(seed, purpose)), step_(step) {}

Random Random::with(std::string_view purpose) const {
  Random part = *this;
  part.key_ = hash(key_, purpose);
  return part;
}

std::array<std::uint32_t, 4> Random::block(std::uint64_t index) const {
  return philox4x32_10({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                        static_cast<std::uint32_t>(step_), static_cast<std::uint32_t>(step_ >> 32)},
                       {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)});
}

std::uint64_t Random::bits(std::uint64_t index) const {
  const auto b = block(index);
  return (std::uint64_t{b[1]} << 32) | b[0];
}

double Random::uniform(std::uint64_t index) const {
  return static_cast<double>(bits(index) >> 11) * 0x1p-53;
}

std::uint64_t Random::below(std::uint64_t index, std::uint64_t n) const {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{bits(index)} * n) >> 64);  // Lemire, 2019
}

double Random::normal(std::uint64_t index) const {
  const auto b = block(index);
  const std::uint64_t first = (std::uint64_t{b[1]} << 32) | b[0];
  const std::uint64_t second = (std::uint64_t{b[3]} << 32) | b[2];
  const double u = (static_cast<double>(first >> 11) + 0.5) * 0x1p-53;  // never 0
  const double v = static_cast<double>(second >> 11) * 0x1p-53;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

}  // namespace assay
