#include "nn/initialise.h"

#include <algorithm>
#include <cstdint>

#include "base/parallel.h"

namespace assay {

void Initialiser::fill(std::span<float> values, const Random& random) const {
  if (kind == Kind::constant) {
    std::fill(values.begin(), values.end(), static_cast<float>(a));
    return;
  }
  constexpr std::int64_t kPart = 8192;  // number i depends on i alone: the cut changes nothing
  const auto count = static_cast<std::int64_t>(values.size());
  parallel_for((count + kPart - 1) / kPart, [&](std::int64_t part) {
    const std::int64_t end = std::min(count, (part + 1) * kPart);
    for (std::int64_t i = part * kPart; i < end; ++i) {
      const auto index = static_cast<std::uint64_t>(i);
      const double x =
          kind == Kind::normal ? random.normal(index) : 2.0 * random.uniform(index) - 1.0;
      values[static_cast<std::size_t>(i)] = static_cast<float>(a * x);
    }
  });
}

}  // namespace assay
