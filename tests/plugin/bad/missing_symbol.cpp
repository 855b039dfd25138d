// Uses a function that no library has.
#include "nothing.h"

namespace assay {
ASSAY_API int not_in_any_library(int x);
}

namespace {
class Missing final : public assay::Sampler {
 public:
  explicit Missing(const assay::SamplerBuild&) {}
  void apply(std::span<float> logits) const override {
    logits[0] = static_cast<float>(assay::not_in_any_library(1));
  }
};
}  // namespace

ASSAY_PLUGIN(assay::Sampler, "missing_symbol", Missing, "Cannot be linked.")
