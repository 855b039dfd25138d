// Nucleus sampling (Holtzman et al., 2020): the most likely tokens until their probabilities reach
// p together, the one that reaches it included; of equals the lower ids first. At least one stays.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class TopP final : public Sampler {
 public:
  struct Options {
    double p = 0.9;
    static void describe(OptionList<Options>& o) {
      o.add("p", &Options::p, "Probability that the tokens kept have together; 0 keeps the best.")
          .at_least(0)
          .at_most(1);
    }
  };
  TopP(const Options& options, const SamplerBuild&) : p_(options.p) {}

  void apply(std::span<float> logits) const override {
    if (p_ == 1) return;
    std::vector<std::size_t> ids(logits.size());
    std::iota(ids.begin(), ids.end(), std::size_t{0});
    std::stable_sort(ids.begin(), ids.end(),
                     [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
    const double best = logits[ids[0]];
    std::vector<double> weights;
    for (const std::size_t id : ids) weights.push_back(std::exp(logits[id] - best));
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    double before = weights[0];
    for (std::size_t i = 1; i < ids.size(); ++i) {
      if (before >= p_ * total) logits[ids[i]] = -std::numeric_limits<float>::infinity();
      before += weights[i];
    }
  }

 private:
  double p_;
};

}  // namespace

ASSAY_PLUGIN(Sampler, "top_p", TopP, "Keeps the most likely tokens that have probability p.")
