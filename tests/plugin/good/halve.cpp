// A plugin without faults. Compiled several times: under its own name, and with flags that the
// loader must refuse.
#include "assay.h"

namespace {

class Halve final : public assay::Sampler {
 public:
  struct Options {
    double factor = 0.5;
    static void describe(assay::OptionList<Options>& o) {
      o.add("factor", &Options::factor, "What every logit is multiplied by.").above(0);
    }
  };
  Halve(const Options& options, const assay::SamplerBuild&) : factor_(options.factor) {}
  void apply(std::span<float> logits) const override {
    for (float& logit : logits) logit *= static_cast<float>(factor_);
  }

 private:
  double factor_;
};

}  // namespace

ASSAY_PLUGIN(assay::Sampler, PLUGIN_NAME, Halve, "Multiplies every logit.")
