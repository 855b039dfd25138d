// Hyperband (Li, Jamieson, DeSalvo, Rostamizadeh and Talwalkar, 2018, "Hyperband: a novel
// bandit-based approach to hyperparameter optimization", algorithm 1): successive halving in
// several brackets at once, since nobody knows how early runs can be told apart. The first bracket
// compares from the first rung on, the next from the second, the last trains its runs whole. Each
// has so many trials that all cost about the same. A run is compared with those of its bracket
// alone.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class Hyperband final : public Pruner {
 public:
  struct Options {
    std::int64_t first = 100;
    double keep_one_in = 3;
    static void describe(OptionList<Options>& o) {
      o.add("first", &Options::first, "Steps before the first comparison of the first bracket.")
          .at_least(1);
      o.add("keep_one_in", &Options::keep_one_in,
            "One in so many goes on, so many times as far (eta).")
          .above(1);
    }
  };

  Hyperband(const Options& options, const PrunerBuild&) : options_(options) {}

  std::vector<std::int64_t> rungs(std::int64_t steps) const override {
    return growing_rungs(options_.first, options_.keep_one_in, steps);
  }

  std::vector<bool> promoted(const Rung& rung) const override {
    const std::vector<std::size_t> brackets = brackets_of(rung);
    std::vector<bool> promoted;
    for (const PrunerRun& run : rung.running) {
      const std::size_t bracket = brackets[static_cast<std::size_t>(run.trial)];
      const bool compared = static_cast<std::int64_t>(bracket) <= rung.index;
      promoted.push_back(!compared || run.at(rung.step) <= worst_kept(rung, brackets, bracket));
    }
    return promoted;
  }

 private:
  // Trials of each bracket, in proportion: bracket b has its first comparison at rung b.
  std::vector<double> sizes(std::int64_t steps) const {
    const std::size_t last = rungs(steps).size();
    std::vector<double> sizes;
    for (std::size_t b = 0; b <= last; ++b) {
      const auto halvings = static_cast<double>(last - b);
      const double exact =
          static_cast<double>(last + 1) / (halvings + 1) * std::pow(options_.keep_one_in, halvings);
      sizes.push_back(std::ceil(exact * (1 - 1e-12)));  // 27 is not to become 28
    }
    return sizes;
  }

  // By trial. Each goes where most are missing, so that few trials are shared out as many are.
  std::vector<std::size_t> brackets_of(const Rung& rung) const {
    std::int64_t last = 0;
    for (const auto& runs : {rung.running, rung.earlier})
      for (const PrunerRun& run : runs) last = std::max(last, run.trial);
    const std::vector<double> wanted = sizes(rung.steps);
    std::vector<double> have(wanted.size(), 0);
    std::vector<std::size_t> brackets;
    for (std::int64_t trial = 0; trial <= last; ++trial) {
      std::size_t next = 0;
      for (std::size_t b = 1; b < wanted.size(); ++b)
        if ((have[b] + 1) / wanted[b] < (have[next] + 1) / wanted[next]) next = b;
      ++have[next];
      brackets.push_back(next);
    }
    return brackets;
  }

  // The value of the last that goes on, of those of a bracket that came to this rung.
  double worst_kept(const Rung& rung, const std::vector<std::size_t>& brackets,
                    std::size_t bracket) const {
    std::vector<double> values;
    for (const auto& runs : {rung.running, rung.earlier})
      for (const PrunerRun& run : runs)
        if (run.reached(rung.step) && brackets[static_cast<std::size_t>(run.trial)] == bracket)
          values.push_back(run.at(rung.step));
    if (values.empty()) return std::numeric_limits<double>::infinity();
    std::sort(values.begin(), values.end());
    return last_of_best(values, options_.keep_one_in);
  }

  Options options_;
};

}  // namespace

ASSAY_PLUGIN(Pruner, "hyperband", Hyperband,
             "Brackets of successive halving: some early and harsh, some late.")
