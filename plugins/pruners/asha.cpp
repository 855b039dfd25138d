// Successive halving: at each rung the best 1 in `keep_one_in` go on, to a rung that is so many
// times as far (Jamieson and Talwalkar, 2016, "Non-stochastic best arm identification"). With
// earlier batches a run must be among the best of all that came to the rung, as in asynchronous
// successive halving (Li et al., 2020, "A system for massively parallel hyperparameter tuning",
// ASHA), but decided for a batch at once, so that it does not depend on which run is faster.
#include "assay.h"

namespace {

using namespace assay;

class Asha final : public Pruner {
 public:
  struct Options {
    std::int64_t first = 100;
    double keep_one_in = 3;
    static void describe(OptionList<Options>& o) {
      o.add("first", &Options::first, "Steps before the first comparison.").at_least(1);
      o.add("keep_one_in", &Options::keep_one_in,
            "One in so many goes on, so many times as far (eta).")
          .above(1);
    }
  };

  Asha(const Options& options, const PrunerBuild&) : options_(options) {}

  std::vector<std::int64_t> rungs(std::int64_t steps) const override {
    return growing_rungs(options_.first, options_.keep_one_in, steps);
  }

  std::vector<bool> promoted(const Rung& rung) const override {
    const std::vector<double> values = rung.values();
    if (values.empty()) return std::vector<bool>(rung.running.size(), true);
    return rung.up_to(last_of_best(values, options_.keep_one_in));
  }

 private:
  Options options_;
};

}  // namespace

ASSAY_PLUGIN(Pruner, "asha", Asha, "Successive halving: few of many runs go on to each next rung.")
