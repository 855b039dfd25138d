// Softmax at a temperature: logits / T. Below 1 the likely tokens gain, above 1 the unlikely ones;
// 0 is the limit, which keeps the likeliest token alone (the lowest id of equals).
#include <algorithm>
#include <cmath>
#include <limits>

#include "assay.h"

namespace {

using namespace assay;

class Temperature final : public Sampler {
 public:
  struct Options {
    double temperature = 1;
    static void describe(OptionList<Options>& o) {
      o.add("temperature", &Options::temperature, "What logits are divided by; 0 takes the best.")
          .at_least(0);
      o.rule("temperature must be a finite number",
             [](const Options& t) { return std::isfinite(t.temperature); });
    }
  };
  Temperature(const Options& options, const SamplerBuild&) : temperature_(options.temperature) {}

  void apply(std::span<float> logits) const override {
    constexpr float kForbidden = -std::numeric_limits<float>::infinity();
    if (temperature_ == 1) return;
    const auto best = std::max_element(logits.begin(), logits.end());  // the first of equals
    if (temperature_ == 0) {
      const float value = *best;
      std::fill(logits.begin(), best, kForbidden);
      std::fill(best + 1, logits.end(), kForbidden);
      *best = value;
      return;
    }
    // Differences to the best are 0 or negative: whatever the temperature, the best stays finite.
    const double top = *best;
    for (float& logit : logits) {
      const double hot = (logit - top) / temperature_;
      logit = hot < std::numeric_limits<float>::lowest() ? kForbidden : static_cast<float>(hot);
    }
  }

 private:
  double temperature_;
};

}  // namespace

ASSAY_PLUGIN(Sampler, "temperature", Temperature, "Divides the logits by a temperature.")
