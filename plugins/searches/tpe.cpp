// Tree-structured Parzen estimator: densities of the good trials and of the others; of some points
// drawn from the first, the one where their ratio is largest (Bergstra, Bardenet, Bengio and Kegl,
// 2011, "Algorithms for hyper-parameter optimization"). Kernels are products over the dimensions,
// so that what goes together is kept together (Falkner, Klein and Hutter, 2018, "BOHB",
// section 3.1). Points of a batch that have no value yet count among the others, which spreads the
// batch.
#include <algorithm>
#include <cmath>

#include "assay.h"

namespace {

using namespace assay;

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

// Random numbers of one trial, one after the other.
class Draws {
 public:
  explicit Draws(Random random) : random_(random) {}
  double uniform() { return random_.uniform(next_++); }
  double normal() { return random_.normal(next_++); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_.below(next_++, n)); }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

class Density {
 public:
  /// One kernel for each point, and a uniform one.
  Density(const std::vector<SearchDimension>& dimensions, std::vector<SearchPoint> points)
      : dimensions_(dimensions), points_(std::move(points)) {
    const auto n = static_cast<double>(std::max<std::size_t>(points_.size(), 1));
    const double rule = std::pow(n, -1.0 / (static_cast<double>(dimensions.size()) + 4));
    width_ = std::max(0.2 * rule, 1 / std::min(100.0, 1 + n));
    // A share of each kernel of a choice goes to all values.
    spread_ = 1 / (1 + n);
  }

  SearchPoint draw(Draws& draws) const {
    const std::size_t kernel = draws.below(points_.size() + 1);
    SearchPoint point;
    for (std::size_t d = 0; d < dimensions_.size(); ++d)
      point.push_back(kernel == points_.size() ? draws.uniform()
                                               : draw_near(d, points_[kernel][d], draws));
    return point;
  }

  double log_at(const SearchPoint& point) const {
    double largest = 0;  // of the uniform kernel
    std::vector<double> logs;
    for (const SearchPoint& centre : points_) {
      double log = 0;
      for (std::size_t d = 0; d < dimensions_.size(); ++d)
        log += std::log(kernel_at(d, centre[d], point[d]));
      logs.push_back(log);
      largest = std::max(largest, log);
    }
    double sum = std::exp(-largest);
    for (const double log : logs) sum += std::exp(log - largest);
    return largest + std::log(sum / static_cast<double>(points_.size() + 1));
  }

 private:
  bool is_choice(std::size_t d) const {
    return dimensions_[d].values > 0 && !dimensions_[d].ordered;
  }
  double value_of(std::size_t d, double x) const {
    return std::floor(x * static_cast<double>(dimensions_[d].values));
  }

  double draw_near(std::size_t d, double centre, Draws& draws) const {
    if (is_choice(d)) return draws.uniform() < spread_ ? draws.uniform() : centre;
    for (;;) {
      const double x = centre + width_ * draws.normal();
      if (x >= 0 && x < 1) return x;
    }
  }

  double kernel_at(std::size_t d, double centre, double x) const {
    if (is_choice(d)) {
      const bool same = value_of(d, centre) == value_of(d, x);
      return spread_ + (same ? (1 - spread_) * static_cast<double>(dimensions_[d].values) : 0);
    }
    const double z = (x - centre) / width_;
    const double inside = normal_cdf((1 - centre) / width_) - normal_cdf(-centre / width_);
    return std::max(1e-300, std::exp(-0.5 * z * z) / (2.5066282746310002 * width_ * inside));
  }

  const std::vector<SearchDimension>& dimensions_;
  std::vector<SearchPoint> points_;
  double width_ = 1, spread_ = 1;
};

class Tpe final : public Search {
 public:
  struct Options {
    std::int64_t startup = 10;
    double good = 0.15;
    std::int64_t candidates = 24;
    static void describe(OptionList<Options>& o) {
      o.add("startup", &Options::startup, "Trials drawn uniformly before any is looked at.")
          .at_least(1);
      o.add("good", &Options::good, "Share of the trials that count as good ones.")
          .above(0)
          .below(1);
      o.add("candidates", &Options::candidates, "Points drawn for each that is suggested.")
          .at_least(1);
    }
  };

  Tpe(const Options& options, const SearchBuild& build)
      : options_(options), seed_(build.seed), dimensions_(build.dimensions) {}

  std::vector<SearchPoint> suggest(std::span<const SearchTrial> done,
                                   std::int64_t count) const override {
    const std::vector<std::size_t> order = best_first(done);
    const auto good =
        static_cast<std::size_t>(std::ceil(options_.good * static_cast<double>(done.size())));
    std::vector<SearchPoint> better, others;
    for (std::size_t i = 0; i < order.size(); ++i)
      (i < good ? better : others).push_back(done[order[i]].point);

    const Density promising(dimensions_, std::move(better));
    std::vector<SearchPoint> points;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::size_t trial = done.size() + static_cast<std::size_t>(i);
      Draws draws(Random(seed_, "search", trial));
      points.push_back(done.empty() || trial < static_cast<std::size_t>(options_.startup)
                           ? uniform(draws)
                           : best_candidate(promising, Density(dimensions_, others), draws));
      others.push_back(points.back());
    }
    return points;
  }

 private:
  SearchPoint uniform(Draws& draws) const {
    SearchPoint point;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) point.push_back(draws.uniform());
    return point;
  }

  SearchPoint best_candidate(const Density& promising, const Density& others, Draws& draws) const {
    SearchPoint best;
    double best_ratio = 0;
    for (std::int64_t i = 0; i < options_.candidates; ++i) {
      SearchPoint point = promising.draw(draws);
      const double ratio = promising.log_at(point) - others.log_at(point);
      if (!best.empty() && ratio <= best_ratio) continue;
      best = std::move(point);
      best_ratio = ratio;
    }
    return best;
  }

  Options options_;
  std::uint64_t seed_;
  std::vector<SearchDimension> dimensions_;
};

}  // namespace

ASSAY_PLUGIN(Search, "tpe", Tpe, "Tree-structured Parzen estimator: near good trials, off others.")
