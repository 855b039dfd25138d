// What samplers make of logits, as tests look at it.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

namespace assay {

inline constexpr float kForbidden = -std::numeric_limits<float>::infinity();

inline std::vector<double> softmax(const std::vector<float>& logits) {
  double total = 0;
  for (const float l : logits) total += std::exp(double{l});
  std::vector<double> p;
  for (const float l : logits) p.push_back(std::exp(double{l}) / total);
  return p;
}

}  // namespace assay
