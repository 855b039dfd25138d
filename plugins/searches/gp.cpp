// Bayesian optimisation: a Gaussian process through the trials, and the points where the expected
// improvement on the best of them is largest (Mockus, 1978; Jones, Schonlau and Welch, 1998,
// "Efficient global optimization of expensive black-box functions"). Matern kernel with nu = 5/2
// and a length for each dimension, chosen with the noise by marginal likelihood (Snoek, Larochelle
// and Adams, 2012, "Practical Bayesian optimization"). Points of a batch that have no value yet are
// taken to have their mean (kriging believer; Ginsbourger, Le Riche and Carraro, 2010).
#include <algorithm>
#include <cmath>
#include <limits>

#include "assay.h"

namespace {

using namespace assay;

constexpr double kPi = 3.14159265358979323846;
constexpr std::size_t kMostTrials = 300;  // the best ones: the cost grows with their cube

using Vector = std::vector<double>;

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

// Coordinates as the kernel sees them: a choice has one for each value.
class Encoding {
 public:
  explicit Encoding(const std::vector<SearchDimension>& dimensions) : dimensions_(dimensions) {
    for (std::size_t d = 0; d < dimensions.size(); ++d)
      owners_.insert(owners_.end(), is_choice(d) ? values(d) : 1, d);
  }

  Vector of(const SearchPoint& point) const {
    Vector x;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      if (dimensions_[d].values == 0) {
        x.push_back(point[d]);
        continue;
      }
      const double value = std::floor(point[d] * static_cast<double>(dimensions_[d].values));
      if (!is_choice(d)) {
        x.push_back((value + 0.5) / static_cast<double>(dimensions_[d].values));
        continue;
      }
      for (std::size_t k = 0; k < values(d); ++k)
        x.push_back(static_cast<std::size_t>(value) == k ? std::sqrt(0.5) : 0);
    }
    return x;
  }

  std::size_t dimensions() const { return dimensions_.size(); }
  /// The dimension that each coordinate belongs to.
  const std::vector<std::size_t>& owners() const { return owners_; }

 private:
  bool is_choice(std::size_t d) const {
    return dimensions_[d].values > 0 && !dimensions_[d].ordered;
  }
  std::size_t values(std::size_t d) const {
    return static_cast<std::size_t>(dimensions_[d].values);
  }

  std::vector<SearchDimension> dimensions_;
  std::vector<std::size_t> owners_;
};

struct Scales {
  Vector lengths;       // of each dimension
  double noise = 1e-2;  // variance, of values of variance 1
};

class Process {
 public:
  Process(const Encoding& encoding, std::vector<Vector> inputs, Vector values, Scales scales)
      : encoding_(&encoding),
        inputs_(std::move(inputs)),
        values_(std::move(values)),
        scales_(std::move(scales)) {
    factorise();
  }

  /// Log marginal likelihood, without its constant.
  double likelihood() const {
    double log = 0;
    for (std::size_t i = 0; i < values_.size(); ++i)
      log -= 0.5 * values_[i] * weights_[i] + std::log(factor_[i][i]);
    return log;
  }

  void predict(const Vector& x, double& mean, double& deviation) const {
    const std::size_t n = values_.size();
    Vector across(n);
    mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
      across[i] = kernel(x, inputs_[i]);
      mean += across[i] * weights_[i];
    }
    double variance = 1;
    for (std::size_t i = 0; i < n; ++i) {  // across becomes factor^-1 across
      for (std::size_t k = 0; k < i; ++k) across[i] -= factor_[i][k] * across[k];
      across[i] /= factor_[i][i];
      variance -= across[i] * across[i];
    }
    deviation = std::sqrt(std::max(variance, 1e-12));
  }

  double improvement(const Vector& x, double best) const {
    double mean = 0, deviation = 0;
    predict(x, mean, deviation);
    const double z = (best - mean) / deviation;
    return deviation * (z * normal_cdf(z) + std::exp(-0.5 * z * z) / std::sqrt(2 * kPi));
  }

  void add(Vector x) {
    double mean = 0, deviation = 0;
    predict(x, mean, deviation);
    inputs_.push_back(std::move(x));
    values_.push_back(mean);
    factorise();
  }

 private:
  double kernel(const Vector& a, const Vector& b) const {
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double z = (a[i] - b[i]) / scales_.lengths[encoding_->owners()[i]];
      squares += z * z;
    }
    const double r = std::sqrt(5 * squares);
    return (1 + r + r * r / 3) * std::exp(-r);
  }

  // Cholesky, and (K + noise)^-1 values.
  void factorise() {
    const std::size_t n = values_.size();
    factor_.assign(n, Vector(n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = kernel(inputs_[i], inputs_[j]) + (i == j ? scales_.noise : 0);
        for (std::size_t k = 0; k < j; ++k) sum -= factor_[i][k] * factor_[j][k];
        factor_[i][j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / factor_[j][j];
      }
    weights_ = values_;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) weights_[i] -= factor_[i][k] * weights_[k];
      weights_[i] /= factor_[i][i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) weights_[i] -= factor_[k][i] * weights_[k];
      weights_[i] /= factor_[i][i];
    }
  }

  const Encoding* encoding_;
  std::vector<Vector> inputs_;
  Vector values_, weights_;
  Scales scales_;
  std::vector<Vector> factor_;
};

// Lengths and noise by coordinate ascent over factors of two.
Process fitted(const Encoding& encoding, const std::vector<Vector>& inputs, const Vector& values) {
  Scales best{Vector(encoding.dimensions(), 0.5), 1e-2};
  const auto made = [&](const Scales& scales) { return Process(encoding, inputs, values, scales); };
  double likelihood = made(best).likelihood();
  const auto consider = [&](const Scales& scales) {
    const double other = made(scales).likelihood();
    if (!(other > likelihood)) return;
    likelihood = other;
    best = scales;
  };
  for (const double length : {0.1, 0.2, 1.0, 2.0})
    for (const double noise : {1e-4, 1e-2, 0.3})
      consider({Vector(encoding.dimensions(), length), noise});
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t d = 0; d < encoding.dimensions(); ++d)
      for (const double by : {0.5, 2.0}) {
        Scales scales = best;
        scales.lengths[d] = std::clamp(scales.lengths[d] * by, 0.02, 10.0);
        consider(scales);
      }
    for (const double by : {0.2, 5.0}) {
      Scales scales = best;
      scales.noise = std::clamp(scales.noise * by, 1e-6, 1.0);
      consider(scales);
    }
  }
  return made(best);
}

class GaussianProcess final : public Search {
 public:
  struct Options {
    std::int64_t startup = 8;
    std::int64_t candidates = 500;
    static void describe(OptionList<Options>& o) {
      o.add("startup", &Options::startup, "Trials drawn uniformly before any is looked at.")
          .at_least(2);
      o.add("candidates", &Options::candidates, "Points looked at for each that is suggested.")
          .at_least(1);
    }
  };

  GaussianProcess(const Options& options, const SearchBuild& build)
      : options_(options), seed_(build.seed), encoding_(build.dimensions) {}

  std::vector<SearchPoint> suggest(std::span<const SearchTrial> done,
                                   std::int64_t count) const override {
    std::vector<SearchPoint> points;
    std::vector<std::size_t> order = best_first(done);
    order.resize(std::min(order.size(), kMostTrials));
    const Vector values = standardised(done, order);
    const bool blind = values.empty() || done.size() < static_cast<std::size_t>(options_.startup);
    if (blind) {
      for (std::int64_t i = 0; i < count; ++i) points.push_back(uniform(draw_of(done, points), 0));
      return points;
    }
    std::vector<Vector> inputs;
    for (const std::size_t i : order) inputs.push_back(encoding_.of(done[i].point));
    Process process = fitted(encoding_, inputs, values);
    while (static_cast<std::int64_t>(points.size()) < count) {
      points.push_back(most_promising(process, done[order.front()].point, values.front(),
                                      draw_of(done, points)));
      process.add(encoding_.of(points.back()));
    }
    return points;
  }

 private:
  Random draw_of(std::span<const SearchTrial> done, const std::vector<SearchPoint>& points) const {
    return {seed_, "search", done.size() + points.size()};
  }

  // Of mean 0 and variance 1; what is far above the middle (runs that diverged or failed) is cut
  // off, or nothing else would be seen. Empty if all are equal.
  static Vector standardised(std::span<const SearchTrial> done,
                             const std::vector<std::size_t>& order) {
    if (order.empty() || !std::isfinite(done[order.front()].value)) return {};
    const double best = done[order.front()].value;
    const double middle = done[order[order.size() / 2]].value;
    const double most =
        std::isfinite(middle) && middle > best ? best + 3 * (middle - best) : worst(done);
    Vector values;
    double mean = 0, squares = 0;
    for (const std::size_t i : order) {
      values.push_back(std::min(done[i].value, most));
      mean += values.back() / static_cast<double>(order.size());
    }
    for (double& value : values) {
      value -= mean;
      squares += value * value / static_cast<double>(order.size());
    }
    if (!(squares > 0)) return {};
    for (double& value : values) value /= std::sqrt(squares);
    return values;
  }

  static double worst(std::span<const SearchTrial> done) {
    double most = -std::numeric_limits<double>::infinity();
    for (const SearchTrial& trial : done)
      if (std::isfinite(trial.value)) most = std::max(most, trial.value);
    return most;
  }

  SearchPoint uniform(const Random& draw, std::uint64_t candidate) const {
    SearchPoint point;
    for (std::size_t d = 0; d < encoding_.dimensions(); ++d)
      point.push_back(draw.uniform(candidate * encoding_.dimensions() + d));
    return point;
  }

  // Four of five candidates are anywhere, the others near the best trial.
  SearchPoint most_promising(const Process& process, const SearchPoint& best, double best_value,
                             const Random& draw) const {
    SearchPoint chosen;
    double most = 0;
    const Random near = draw.with("near");
    for (std::int64_t i = 0; i < options_.candidates; ++i) {
      const auto candidate = static_cast<std::uint64_t>(i);
      SearchPoint point = uniform(draw, candidate);
      if (i % 5 == 4) {
        const double width = i % 2 == 0 ? 0.1 : 0.02;
        for (std::size_t d = 0; d < point.size(); ++d) {
          const double step = width * near.normal(candidate * point.size() + d);
          point[d] = std::clamp(best[d] + step, 0.0, std::nextafter(1.0, 0.0));
        }
      }
      const double gain = process.improvement(encoding_.of(point), best_value);
      if (!chosen.empty() && !(gain > most)) continue;
      chosen = std::move(point);
      most = gain;
    }
    return chosen;
  }

  Options options_;
  std::uint64_t seed_;
  Encoding encoding_;
};

}  // namespace

ASSAY_PLUGIN(Search, "gp", GaussianProcess, "Gaussian process and expected improvement.")
