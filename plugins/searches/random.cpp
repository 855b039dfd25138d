// Points drawn independently and uniformly: hard to beat where few of many dimensions matter
// (Bergstra and Bengio, 2012, "Random search for hyper-parameter optimization"), and the measure of
// every other search.
#include "assay.h"

namespace {

using namespace assay;

class RandomSearch final : public Search {
 public:
  explicit RandomSearch(const SearchBuild& build)
      : seed_(build.seed), dimensions_(build.dimensions.size()) {}

  std::vector<SearchPoint> suggest(std::span<const SearchTrial> done,
                                   std::int64_t count) const override {
    std::vector<SearchPoint> points;
    for (std::int64_t i = 0; i < count; ++i) {
      const Random draw(seed_, "search", done.size() + static_cast<std::uint64_t>(i));
      SearchPoint& point = points.emplace_back();
      for (std::size_t d = 0; d < dimensions_; ++d) point.push_back(draw.uniform(d));
    }
    return points;
  }

 private:
  std::uint64_t seed_;
  std::size_t dimensions_;
};

}  // namespace

ASSAY_PLUGIN(Search, "random", RandomSearch, "Points drawn independently and uniformly.")
