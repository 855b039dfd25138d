// The most likely text, as far as a beam of beginnings finds it (Graves, 2012; Sutskever, Vinyals
// and Le, 2014, section 3.2); nothing is drawn.
#include <cmath>

#include "assay.h"

namespace {

using namespace assay;

class Beam final : public Sampler {
 public:
  struct Options {
    std::int64_t width = 5;
    double length_penalty = 1;
    static void describe(OptionList<Options>& o) {
      o.add("width", &Options::width, "Beginnings that are kept.").at_least(1).at_most(1024);
      o.add("length_penalty", &Options::length_penalty,
            "Texts are compared by log-probability / length^this: 0 prefers short ones, 1 the "
            "mean of each token.")
          .at_least(0);
    }
  };
  Beam(const Options& options, const SamplerBuild&)
      : settings_{options.width, options.length_penalty} {}

  void apply(std::span<float>) const override {}
  std::optional<BeamSettings> beam() const override { return settings_; }

 private:
  BeamSettings settings_;
};

}  // namespace

ASSAY_PLUGIN(Sampler, "beam", Beam, "Searches the likeliest text with a beam.")
