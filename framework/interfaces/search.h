// Plugin kind `search`: which configurations a sweep tries next, given how those before did.
//
//   std::vector<SearchPoint> suggest(std::span<const SearchTrial> done,
//                                    std::int64_t count) const override {       // uniform
//     std::vector<SearchPoint> points;
//     for (std::int64_t i = 0; i < count; ++i) {
//       const Random draw(seed_, "search", done.size() + static_cast<std::uint64_t>(i));
//       SearchPoint& point = points.emplace_back();
//       for (std::size_t d = 0; d < dimensions_; ++d) point.push_back(draw.uniform(d));
//     }
//     return points;
//   }
//
// A search works on the unit cube [0, 1)^d; what a coordinate stands for (a learning rate on a
// logarithmic scale, the third of five widths) the framework knows. Values are to be made small: a
// metric that is to be maximised comes with the other sign, a run that failed or became NaN as
// +infinity, one that was pruned with its last value.
//
// A pure function: the same build, trials and count give the same points, so a sweep that was
// killed finds them again, and a batch depends on completed batches only, whatever the number of
// jobs. Random numbers are counter-based, from build.seed. Threads: const; one calls at a time.
// Errors: Error(usage) from the constructor for dimensions that it cannot take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/api.h"
#include "base/random.h"
#include "config/options.h"

namespace assay {

struct SearchDimension {
  std::string name;  // "optimizer.learning_rate"
  /// 0: any number; else so many values: value k is [k / values, (k + 1) / values).
  std::int64_t values = 0;
  bool ordered = true;  // false: a choice, whose values have no neighbours
};

struct SearchBuild {
  std::uint64_t seed = 1;
  std::vector<SearchDimension> dimensions;  // at least one
};

using SearchPoint = std::vector<double>;  // a coordinate in [0, 1) for each dimension

struct SearchTrial {
  SearchPoint point;
  double value = 0;        // less is better; +infinity: failed
  std::int64_t batch = 0;  // 0, 1, ...: those of one batch were suggested together
};

/// The places of trials, those of the least values first; of equal ones the earlier.
ASSAY_API std::vector<std::size_t> best_first(std::span<const SearchTrial> trials);

class ASSAY_API Search {
 public:
  static constexpr const char* kKind = "search";
  using Build = SearchBuild;
  virtual ~Search();
  /// `count` points; done: all trials of the batches before, in order.
  virtual std::vector<SearchPoint> suggest(std::span<const SearchTrial> done,
                                           std::int64_t count) const = 0;
};

}  // namespace assay
