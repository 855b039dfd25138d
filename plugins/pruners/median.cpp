// Stops runs that are worse than the median of the others at the same step (Golovin et al., 2017,
// "Google Vizier", section 3.2.2).
#include "assay.h"

namespace {

using namespace assay;

class Median final : public Pruner {
 public:
  struct Options {
    std::int64_t every = 100;
    std::int64_t warmup = 0;
    std::int64_t least = 5;
    static void describe(OptionList<Options>& o) {
      o.add("every", &Options::every, "Steps between two comparisons.").at_least(1);
      o.add("warmup", &Options::warmup, "Steps before the first one.").at_least(0);
      o.add("least", &Options::least, "Runs that there must be to compare with.").at_least(2);
    }
  };

  Median(const Options& options, const PrunerBuild&) : options_(options) {}

  std::vector<std::int64_t> rungs(std::int64_t steps) const override {
    std::vector<std::int64_t> rungs;
    for (std::int64_t step = options_.every; step < steps; step += options_.every)
      if (step >= options_.warmup) rungs.push_back(step);
    return rungs;
  }

  std::vector<bool> promoted(const Rung& rung) const override {
    const std::vector<double> values = rung.values();
    if (values.size() < static_cast<std::size_t>(options_.least))
      return std::vector<bool>(rung.running.size(), true);
    return rung.up_to(values[(values.size() - 1) / 2]);
  }

 private:
  Options options_;
};

}  // namespace

ASSAY_PLUGIN(Pruner, "median", Median, "Stops runs that are worse than the median.")
