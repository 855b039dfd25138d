// A plugin whose class has no Options.
#define ASSAY_PLUGIN_VERSION "3.1"
#include "assay.h"

namespace {

class Optionless final : public assay::Sampler {
 public:
  explicit Optionless(const assay::SamplerBuild&) {}
  void apply(std::span<float>) const override {}
};

}  // namespace

ASSAY_PLUGIN(assay::Sampler, "optionless", Optionless, "Changes nothing.")
