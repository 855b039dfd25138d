// Throws while its options are described.
#include <stdexcept>

#include "nothing.h"

namespace {
class Throws final : public assay::Sampler {
 public:
  struct Options {
    static void describe(assay::OptionList<Options>&) {
      throw std::runtime_error("the table of options is missing");
    }
  };
  Throws(const Options&, const assay::SamplerBuild&) {}
  void apply(std::span<float>) const override {}
};
}  // namespace

ASSAY_PLUGIN(assay::Sampler, "throws", Throws, "Throws.")
