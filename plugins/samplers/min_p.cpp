// Tokens at least so likely, relative to the most likely one (Nguyen et al., 2024, "Turning up the
// heat: min-p sampling"): few where the model is sure, many where it is not.
#include <algorithm>
#include <cmath>
#include <limits>

#include "assay.h"

namespace {

using namespace assay;

class MinP final : public Sampler {
 public:
  struct Options {
    double p = 0.05;
    static void describe(OptionList<Options>& o) {
      o.add("p", &Options::p, "Least probability, as a share of that of the most likely token.")
          .at_least(0)
          .at_most(1);
    }
  };
  MinP(const Options& options, const SamplerBuild&) : p_(options.p) {}

  void apply(std::span<float> logits) const override {
    const double best = *std::max_element(logits.begin(), logits.end());
    for (float& logit : logits)
      if (std::exp(logit - best) < p_) logit = -std::numeric_limits<float>::infinity();
  }

 private:
  double p_;
};

}  // namespace

ASSAY_PLUGIN(Sampler, "min_p", MinP, "Keeps tokens that are likely beside the likeliest.")
