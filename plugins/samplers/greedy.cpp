// The most likely token, the lowest id of equals: nothing is left to be drawn.
#include <algorithm>
#include <limits>

#include "assay.h"

namespace {

using namespace assay;

class Greedy final : public Sampler {
 public:
  explicit Greedy(const SamplerBuild&) {}

  void apply(std::span<float> logits) const override {
    constexpr float kForbidden = -std::numeric_limits<float>::infinity();
    const auto best = std::max_element(logits.begin(), logits.end());  // the first of equals
    std::fill(logits.begin(), best, kForbidden);
    std::fill(best + 1, logits.end(), kForbidden);
  }
};

}  // namespace

ASSAY_PLUGIN(Sampler, "greedy", Greedy, "Takes the most likely token.")
