// What the suites share.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "contract/contract.h"

namespace assay {

/// Makes one check: what it throws is a failure too.
template <class Part>
void attempt(Failures& failures, const std::string& check, const Part& run) {
  failures.start(check);
  try {
    run();
  } catch (const std::exception& e) {
    failures.push_back(check + ": it throws: " + e.what());
  } catch (...) {
    failures.push_back(check + ": it throws something that is no std::exception");
  }
  failures.finish();
}

/// Bit for bit, so that NaN equals itself and 0 differs from -0.
template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}
inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return same_bits(std::span<const float>(a), std::span<const float>(b));
}

inline std::vector<float> normal_numbers(std::size_t count, const Random& draw) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(draw.normal(i));
  return numbers;
}

/// Whether a derivative agrees with differences of f, which is called with steps along the
/// direction. Two central differences, extrapolated (Richardson, 1911). scale: a size that the
/// derivative could have; noise: of one value of f.
template <class Function>
bool agrees_with_differences(double derivative, double scale, double noise, double& difference,
                             const Function& f) {
  constexpr double kStep = 0.02;
  const auto central = [&](double step) { return (f(step) - f(-step)) / (2 * step); };
  difference = (4 * central(kStep / 2) - central(kStep)) / 3;
  return std::abs(derivative - difference) <= 0.02 * scale + 3 * noise / kStep;
}

/// Saves, and restores into another object of the same making.
template <class Object>
State saved(Object& object) {
  State state;
  StateIo io = StateIo::saving(state);
  object.state(io);
  return state;
}
template <class Object>
void restore(Object& object, const State& state) {
  StateIo io = StateIo::restoring(state);
  object.state(io);
}

}  // namespace assay
