#include "results/statistics.h"

#include <algorithm>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"

namespace assay {
namespace {

using boost::math::complement;
// In double throughout: the default computes in long double, whose sums depend on the processor.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using StudentsT = boost::math::students_t_distribution<double, Policy>;
using NonCentralT = boost::math::non_central_t_distribution<double, Policy>;

constexpr std::int64_t kMostSeeds = 1'000'000;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double two_sided_p(double t, double degrees) {
  return 2 * cdf(complement(StudentsT(degrees), std::abs(t)));
}

Difference difference_of(double value, double standard_error, double degrees) {
  Difference out;
  out.value = value;
  out.degrees = degrees;
  if (standard_error == 0) {
    out.interval = {value, value};
    out.t = value == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), value);
    out.p = value == 0 ? 1 : 0;
    return out;
  }
  const double reach = critical_t(degrees) * standard_error;
  out.interval = {value - reach, value + reach};
  out.t = value / standard_error;
  out.p = two_sided_p(out.t, degrees);
  return out;
}

/// Degrees of freedom of a difference whose means have these variances (Satterthwaite, 1946).
double welch_degrees(double variance_a, double n_a, double variance_b, double n_b) {
  const double sum = variance_a + variance_b;
  if (sum == 0) return n_a + n_b - 2;
  return sum * sum / (variance_a * variance_a / (n_a - 1) + variance_b * variance_b / (n_b - 1));
}

double variance_of_mean(const Spread& spread) {
  return spread.deviation * spread.deviation / static_cast<double>(spread.count);
}

/// How likely a test at 1 - kConfidence is to find a difference of `shift` standard errors.
double power_of(double shift, double degrees) {
  const double critical = critical_t(degrees);
  // Beyond, the chance of missing it is that of a normal number above 10; Boost's sum would
  // overflow.
  if (std::abs(shift) > 10 * critical) return 1;
  const NonCentralT seen(degrees, std::abs(shift));
  return cdf(complement(seen, critical)) + cdf(seen, -critical);
}

/// The least n from 2 on with power(n) >= kPower. REQUIRES a power that grows with n.
template <class Power>
std::optional<std::int64_t> least_count(Power power) {
  std::int64_t below = 1, enough = 2;
  while (power(static_cast<double>(enough)) < kPower) {
    below = enough;
    enough *= 2;
    if (enough > kMostSeeds) return std::nullopt;
  }
  while (enough - below > 1) {
    const std::int64_t middle = below + (enough - below) / 2;
    (power(static_cast<double>(middle)) < kPower ? below : enough) = middle;
  }
  return enough;
}

/// Of sorted values, linear between neighbours.
double quantile_of(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double critical_t(double degrees) {
  return quantile(complement(StudentsT(degrees), (1 - kConfidence) / 2));
}

Spread spread_of(std::span<const double> values) {
  Spread spread;
  spread.count = values.size();
  if (values.empty()) return spread;
  spread.mean = mean_of(values);
  if (values.size() < 2) return spread;
  const double degrees = static_cast<double>(values.size()) - 1;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(squares / degrees);
  const double reach = critical_t(degrees) * std::sqrt(variance_of_mean(spread));
  spread.interval = Interval{spread.mean - reach, spread.mean + reach};
  return spread;
}

std::optional<Difference> welch_test(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const Spread left = spread_of(a), right = spread_of(b);
  const double variance_a = variance_of_mean(left), variance_b = variance_of_mean(right);
  return difference_of(left.mean - right.mean, std::sqrt(variance_a + variance_b),
                       welch_degrees(variance_a, static_cast<double>(a.size()), variance_b,
                                     static_cast<double>(b.size())));
}

std::optional<Difference> paired_test(std::span<const double> differences) {
  if (differences.size() < 2) return std::nullopt;
  const Spread spread = spread_of(differences);
  return difference_of(spread.mean, std::sqrt(variance_of_mean(spread)),
                       static_cast<double>(differences.size()) - 1);
}

std::optional<Interval> bootstrap(std::span<const double> a, std::span<const double> b,
                                  std::size_t resamples) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const auto resampled_mean = [](std::span<const double> values, const Random& draw) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      sum += values[static_cast<std::size_t>(draw.below(i, values.size()))];
    return sum / static_cast<double>(values.size());
  };
  std::vector<double> differences(resamples);
  for (std::size_t r = 0; r < resamples; ++r)
    differences[r] = resampled_mean(a, Random(0, "bootstrap/a", r)) -
                     resampled_mean(b, Random(0, "bootstrap/b", r));
  std::sort(differences.begin(), differences.end());
  constexpr double kTail = (1 - kConfidence) / 2;
  return Interval{quantile_of(differences, kTail), quantile_of(differences, 1 - kTail)};
}

std::vector<double> adjusted_by_holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, static_cast<double>(p.size() - rank) * p[order[rank]]);
    adjusted[order[rank]] = std::min(1.0, largest);
  }
  return adjusted;
}

std::optional<std::int64_t> seeds_to_decide(std::span<const double> a, std::span<const double> b) {
  const std::optional<Difference> seen = welch_test(a, b);
  if (!seen || seen->value == 0) return std::nullopt;
  const double deviation_a = spread_of(a).deviation, deviation_b = spread_of(b).deviation;
  if (deviation_a == 0 && deviation_b == 0) return 2;
  return least_count([&](double n) {
    const double variance_a = deviation_a * deviation_a / n;
    const double variance_b = deviation_b * deviation_b / n;
    return power_of(seen->value / std::sqrt(variance_a + variance_b),
                    welch_degrees(variance_a, n, variance_b, n));
  });
}

std::optional<std::int64_t> pairs_to_decide(std::span<const double> differences) {
  const Spread spread = spread_of(differences);
  if (differences.size() < 2 || spread.mean == 0) return std::nullopt;
  if (spread.deviation == 0) return 2;
  return least_count(
      [&](double n) { return power_of(spread.mean / (spread.deviation / std::sqrt(n)), n - 1); });
}

}  // namespace assay
