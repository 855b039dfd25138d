// A search problem whose answer is known: Branin and Hoo's function (Branin, 1972; Dixon and Szego,
// 1978, "Towards global optimisation 2"), with three equal minima of 0.397887 and, asked for,
// noise. A sweep searches over probe.x and probe.y as over any hyper-parameters, for next to
// nothing.
#include <cmath>

#include "assay.h"

namespace {

using namespace assay;

constexpr double kPi = 3.14159265358979323846;
constexpr double kLeast = 0.39788735772973816;

class Branin final : public Probe {
 public:
  struct Options {
    double x = 0, y = 0, noise = 0;
    static void describe(OptionList<Options>& o) {
      o.add("x", &Options::x, "First coordinate.").at_least(-5).at_most(10);
      o.add("y", &Options::y, "Second coordinate.").at_least(0).at_most(15);
      o.add("noise", &Options::noise, "Standard deviation of what is added to the value.")
          .at_least(0);
    }
  };

  Branin(const Options& options, const ProbeBuild& build) : options_(options), seed_(build.seed) {}

  void measure(Measurements& out) const override {
    const double x = options_.x, y = options_.y;
    const double a = y - 5.1 / (4 * kPi * kPi) * x * x + 5 / kPi * x - 6;
    const double exact = a * a + 10 * (1 - 1 / (8 * kPi)) * std::cos(x) + 10;
    out.scalars["value"] = exact + options_.noise * Random(seed_, "noise").normal(0);
    out.scalars["regret"] = exact - kLeast;
  }

 private:
  Options options_;
  std::uint64_t seed_;
};

}  // namespace

ASSAY_PLUGIN(Probe, "branin", Branin, "Branin's function: a search problem with a known answer.")
