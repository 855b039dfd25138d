// Stops runs that have next to no chance of becoming the best. How much a run may still gain is
// judged by how much the whole runs before it gained from the same step on: if c of n gained enough
// to pass the best, the chance is at most (c + 1) / (n + 1), without any assumption on how gains
// are distributed but that runs are exchangeable (the rank argument of conformal prediction; Vovk,
// Gammerman and Shafer, 2005, "Algorithmic learning in a random world", chapter 2).
#include <algorithm>
#include <limits>

#include "assay.h"

namespace {

using namespace assay;

class Chance final : public Pruner {
 public:
  struct Options {
    std::int64_t every = 100;
    double least = 0.1;
    static void describe(OptionList<Options>& o) {
      o.add("every", &Options::every, "Steps between two comparisons.").at_least(1);
      o.add("least", &Options::least,
            "A run with less chance than this is stopped; it takes 1 / least whole runs before any "
            "is.")
          .above(0)
          .below(1);
    }
  };

  Chance(const Options& options, const PrunerBuild&) : options_(options) {}

  std::vector<std::int64_t> rungs(std::int64_t steps) const override {
    std::vector<std::int64_t> rungs;
    for (std::int64_t step = options_.every; step < steps; step += options_.every)
      rungs.push_back(step);
    return rungs;
  }

  std::vector<bool> promoted(const Rung& rung) const override {
    double best = std::numeric_limits<double>::infinity();
    std::vector<double> gains;
    for (const PrunerRun& run : rung.earlier) {
      if (!run.whole || run.values.empty()) continue;
      best = std::min(best, run.values.back());
      gains.push_back(run.at(rung.step) - run.values.back());
    }
    std::vector<bool> promoted;
    for (const PrunerRun& run : rung.running) {
      const double needed = run.at(rung.step) - best;
      const auto enough =
          std::count_if(gains.begin(), gains.end(), [&](double gain) { return gain >= needed; });
      const double chance = static_cast<double>(enough + 1) / static_cast<double>(gains.size() + 1);
      promoted.push_back(chance >= options_.least);
    }
    return promoted;
  }

 private:
  Options options_;
};

}  // namespace

ASSAY_PLUGIN(Pruner, "chance", Chance, "Stops runs that have little chance of becoming the best.")
