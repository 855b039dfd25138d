// What runs that differ only in their seed allow one to say.
//
//   const Spread a = spread_of({1.89, 1.91, 1.90}), b = spread_of({1.95, 1.93, 1.96});
//   a.interval                     // 95% interval of the mean, Student's t
//   welch_test(x, y)->p            // of the difference of two means, their variances not assumed
//                                  // equal (Welch, 1947)
//   paired_test(differences)       // the same seeds on both sides: common random numbers
//   bootstrap(x, y)                // beside them, without the assumption of normal noise
//   adjusted_by_holm({p, q, r})    // for many comparisons (Holm, 1979)
//   seeds_to_decide(x, y)          // how many would be needed
//
// One value claims nothing: tests and intervals are then absent. Values must be finite. Sums run in
// the order given, so equal values give equal bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/api.h"

namespace assay {

inline constexpr double kConfidence = 0.95;
/// Chance of seeing a difference that is there, for seeds_to_decide.
inline constexpr double kPower = 0.8;

/// t beyond which the two tails of Student's distribution together have 1 - kConfidence.
ASSAY_API double critical_t(double degrees);

struct Interval {
  double low = 0, high = 0;
};

/// Of a sample; the deviation is that of n - 1 degrees of freedom, 0 for one value.
struct Spread {
  std::size_t count = 0;
  double mean = 0, deviation = 0;
  std::optional<Interval> interval;  // of the mean; from two values on
};
ASSAY_API Spread spread_of(std::span<const double> values);

/// A difference of means, two-sided.
struct Difference {
  double value = 0;
  Interval interval;
  double t = 0, degrees = 0;  // Student's t, degrees of freedom
  double p = 1;               // 1 where nothing varies and nothing differs, 0 where only means do
};
/// mean(a) - mean(b); absent unless both have two values.
ASSAY_API std::optional<Difference> welch_test(std::span<const double> a,
                                               std::span<const double> b);
/// Mean of differences between runs of the same seed; absent unless there are two.
ASSAY_API std::optional<Difference> paired_test(std::span<const double> differences);

/// Percentile interval of mean(a) - mean(b), both resampled; absent unless both have two values.
/// The same values give the same interval. With few values it is too narrow: t is the better one.
ASSAY_API std::optional<Interval> bootstrap(std::span<const double> a, std::span<const double> b,
                                            std::size_t resamples = 10000);

/// p-values that keep the chance of any false claim among all of them at the level (Holm, 1979, "A
/// simple sequentially rejective multiple test procedure").
ASSAY_API std::vector<double> adjusted_by_holm(std::span<const double> p);

/// The least n (at least 2) with which Welch's test of n against n values finds a difference like
/// this one, kPower of the time at 1 - kConfidence; absent if the difference is 0, more than a
/// million would be needed, or welch_test is absent.
ASSAY_API std::optional<std::int64_t> seeds_to_decide(std::span<const double> a,
                                                      std::span<const double> b);
/// The same for pairs.
ASSAY_API std::optional<std::int64_t> pairs_to_decide(std::span<const double> differences);

}  // namespace assay
