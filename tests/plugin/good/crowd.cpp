// A probe that counts how many of its kind measure at once, and says that it measures time if it
// is asked to.
#include <atomic>
#include <chrono>

#include "assay.h"

namespace {

using namespace assay;

std::atomic<int> measuring{0};

class Crowd final : public Probe {
 public:
  struct Options {
    bool times = false;
    static void describe(OptionList<Options>& o) {
      o.add("times", &Options::times, "Whether it measures time.");
    }
  };
  Crowd(const Options& options, const ProbeBuild&) : times_(options.times) {}
  bool measures_time() const override { return times_; }

  // Stays until another comes, or a moment long.
  void measure(Measurements& out) const override {
    using Clock = std::chrono::steady_clock;
    int most = ++measuring;
    const auto end = Clock::now() + std::chrono::milliseconds(50);
    while (most < 2 && Clock::now() < end) most = std::max(most, measuring.load());
    --measuring;
    out.scalars["at_once"] = most;
  }

 private:
  bool times_;
};

}  // namespace

ASSAY_PLUGIN(Probe, "crowd", Crowd, "Counts probes that measure at once.")
