// A Sobol' sequence: fills the cube evenly, so that each half and quarter of every dimension gets
// its share of points. Sobol', 1967, "On the distribution of points in a cube"; the order is that
// of Antonov and Saleev, 1979; direction numbers of Joe and Kuo, 2008, "Constructing Sobol
// sequences with better two-dimensional projections". A seed shifts all points by one random bit
// pattern for each dimension.
#include <array>
#include <bit>

#include "assay.h"

namespace {

using namespace assay;

constexpr int kBits = 32;

// A primitive polynomial, its coefficients as bits, and the first direction numbers.
struct Directions {
  std::uint32_t polynomial;
  std::array<std::uint32_t, 7> first;
};
constexpr Directions kDirections[] = {
    {3, {1}},
    {7, {1, 3}},
    {11, {1, 3, 1}},
    {13, {1, 1, 1}},
    {19, {1, 1, 3, 3}},
    {25, {1, 3, 5, 13}},
    {37, {1, 1, 5, 5, 17}},
    {41, {1, 1, 5, 5, 5}},
    {47, {1, 1, 7, 11, 19}},
    {55, {1, 1, 5, 1, 1}},
    {59, {1, 1, 1, 3, 11}},
    {61, {1, 3, 5, 5, 31}},
    {67, {1, 3, 3, 9, 7, 49}},
    {91, {1, 1, 1, 15, 21, 21}},
    {97, {1, 3, 1, 13, 27, 49}},
    {103, {1, 1, 1, 15, 7, 5}},
    {109, {1, 3, 1, 15, 13, 25}},
    {115, {1, 1, 5, 5, 19, 61}},
    {131, {1, 3, 7, 11, 23, 15, 103}},
    {137, {1, 3, 7, 13, 13, 15, 69}},
    {143, {1, 1, 3, 13, 7, 35, 63}},
    {145, {1, 3, 5, 9, 1, 25, 53}},
    {157, {1, 3, 1, 13, 9, 35, 107}},
    {167, {1, 3, 1, 5, 27, 61, 31}},
    {171, {1, 1, 5, 11, 19, 41, 61}},
    {185, {1, 3, 5, 3, 3, 13, 69}},
    {191, {1, 1, 7, 13, 1, 19, 1}},
    {193, {1, 3, 7, 5, 13, 19, 59}},
    {203, {1, 1, 3, 9, 25, 29, 41}},
    {211, {1, 3, 5, 13, 23, 1, 55}},
    {213, {1, 3, 7, 3, 13, 59, 17}},
};
constexpr std::size_t kMost = std::size(kDirections) + 1;

using Bits = std::array<std::uint32_t, kBits>;

// The number whose bits are added for each bit of the index; of dimension 0 van der Corput's.
Bits direction_bits(std::size_t dimension) {
  Bits v;
  if (dimension == 0) {
    for (int i = 0; i < kBits; ++i) v[static_cast<std::size_t>(i)] = 1U << (kBits - 1 - i);
    return v;
  }
  const Directions& d = kDirections[dimension - 1];
  const int degree = std::bit_width(d.polynomial) - 1;
  for (int i = 0; i < kBits; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i < degree) {
      v[at] = d.first[at] << (kBits - 1 - i);
      continue;
    }
    const auto back = static_cast<std::size_t>(i - degree);
    v[at] = v[back] ^ (v[back] >> degree);
    for (int k = 1; k < degree; ++k)
      if ((d.polynomial >> (degree - k)) & 1U) v[at] ^= v[static_cast<std::size_t>(i - k)];
  }
  return v;
}

class SobolSearch final : public Search {
 public:
  struct Options {
    bool shift = true;
    static void describe(OptionList<Options>& o) {
      o.add("shift", &Options::shift,
            "Shift the sequence by the seed; without, it begins at the lower corner.");
    }
  };

  SobolSearch(const Options& options, const SearchBuild& build) {
    if (build.dimensions.size() > kMost)
      throw Error(ExitCode::usage, "wanted at most " + std::to_string(kMost) + " dimensions, got " +
                                       std::to_string(build.dimensions.size()) +
                                       "; use {type: random} for more");
    const Random draw(build.seed, "sobol");
    for (std::size_t d = 0; d < build.dimensions.size(); ++d) {
      directions_.push_back(direction_bits(d));
      shifts_.push_back(options.shift ? draw.block(d)[0] : 0);
    }
  }

  std::vector<SearchPoint> suggest(std::span<const SearchTrial> done,
                                   std::int64_t count) const override {
    std::vector<SearchPoint> points;
    for (std::int64_t i = 0; i < count; ++i)
      points.push_back(point(done.size() + static_cast<std::uint64_t>(i)));
    return points;
  }

 private:
  SearchPoint point(std::uint64_t index) const {
    const std::uint64_t grey = index ^ (index >> 1);
    SearchPoint point;
    for (std::size_t d = 0; d < directions_.size(); ++d) {
      std::uint32_t x = shifts_[d];
      for (std::size_t bit = 0; bit < kBits; ++bit)
        if ((grey >> bit) & 1U) x ^= directions_[d][bit];
      point.push_back(static_cast<double>(x) * 0x1p-32);
    }
    return point;
  }

  std::vector<Bits> directions_;
  std::vector<std::uint32_t> shifts_;
};

}  // namespace

ASSAY_PLUGIN(Search, "sobol", SobolSearch, "Points of a Sobol' sequence, which fill space evenly.")
