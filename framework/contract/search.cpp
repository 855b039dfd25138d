#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "contract/support.h"

namespace assay {
namespace {

constexpr double kFailed = std::numeric_limits<double>::infinity();

SearchBuild build_of(std::uint64_t seed) {
  return {seed, {{"rate", 0, true}, {"width", 5, true}, {"type", 3, false}}};
}

bool in_cube(const SearchPoint& point) {
  return std::all_of(point.begin(), point.end(), [](double x) { return x >= 0 && x < 1; });
}

void check_points(const std::vector<SearchPoint>& points, std::int64_t count, std::size_t size,
                  const std::string& what, Failures& failures) {
  if (static_cast<std::int64_t>(points.size()) != count)
    return failures.push_back(
        fmt::format("{}: {} points where {} were wanted", what, points.size(), count));
  for (const SearchPoint& point : points)
    if (point.size() != size || !in_cube(point))
      return failures.push_back(
          fmt::format("{}: the point ({}) is not in the unit cube of {} dimensions", what,
                      fmt::join(point, ", "), size));
}

using Objective = double (*)(const SearchPoint&, std::size_t trial);

// Batches one after the other, as a sweep asks for them; each is asked for twice.
void check_batches(const Search& search, const SearchBuild& build, const std::string& what,
                   Objective value, Failures& failures) {
  std::vector<SearchTrial> done;
  for (const std::int64_t count : {5, 1, 8, 8, 8}) {
    const std::vector<SearchPoint> points = search.suggest(done, count);
    check_points(points, count, build.dimensions.size(), what, failures);
    if (points != search.suggest(done, count))
      failures.push_back(what + ": twice the same is not equal");
    if (!failures.empty()) return;
    const std::int64_t batch = done.empty() ? 0 : done.back().batch + 1;
    for (const SearchPoint& point : points)
      done.push_back({point, value(point, done.size()), batch});
  }
}

}  // namespace

Failures check_search(const Make<Search>& make, Failures failures) {
  attempt(failures, "batches of points in the unit cube", [&] {
    const SearchBuild build = build_of(1);
    check_batches(
        *make(build), build, "a smooth objective",
        [](const SearchPoint& x, std::size_t) { return x[0] * x[0] + x[1]; }, failures);
  });
  attempt(failures, "one dimension", [&] {
    const SearchBuild build = {2, {{"rate", 0, true}}};
    check_batches(
        *make(build), build, "one dimension",
        [](const SearchPoint& x, std::size_t) { return -x[0]; }, failures);
  });
  attempt(failures, "failed trials and equal values are no obstacle", [&] {
    const SearchBuild build = build_of(3);
    const auto search = make(build);
    check_batches(
        *search, build, "all trials failed",
        [](const SearchPoint&, std::size_t) { return kFailed; }, failures);
    check_batches(
        *search, build, "all values equal", [](const SearchPoint&, std::size_t) { return 1.0; },
        failures);
    check_batches(
        *search, build, "every other trial failed",
        [](const SearchPoint& x, std::size_t trial) { return trial % 2 ? kFailed : 1e30 * x[0]; },
        failures);
  });
  return failures;
}

}  // namespace assay
