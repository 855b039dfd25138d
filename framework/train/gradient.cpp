#include "train/gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "tensor/kernels/update.h"

namespace assay {
namespace {

constexpr std::size_t kPart = std::size_t{1} << 16;

template <class F>
void for_parts(std::span<float> all, F f) {
  const auto parts = static_cast<std::int64_t>((all.size() + kPart - 1) / kPart);
  parallel_for(parts, [&](std::int64_t i) {
    const std::size_t first = static_cast<std::size_t>(i) * kPart;
    f(static_cast<std::size_t>(i), all.subspan(first, std::min(kPart, all.size() - first)));
  });
}

}  // namespace

double mean_and_clip(std::span<float> gradient, double weight, std::optional<double> clip) {
  std::vector<double> squares((gradient.size() + kPart - 1) / kPart);
  for_parts(gradient,
            [&](std::size_t i, std::span<float> part) { squares[i] = sum_of_squares(part); });
  double total = 0;
  for (double square : squares) total += square;
  const double norm = std::sqrt(total) / weight;
  if (!std::isfinite(norm)) return norm;
  double factor = 1 / weight;
  if (clip && norm > *clip) factor *= *clip / norm;
  for_parts(gradient, [&](std::size_t, std::span<float> part) {
    scale_in_place(part, static_cast<float>(factor));
  });
  return norm;
}

std::string first_not_finite(const Parameters& parameters, std::span<float> gradient) {
  for (std::int32_t i = 0; i < parameters.size(); ++i) {
    const auto part = parameters.slice(gradient, ParameterId{i});
    const auto bad =
        std::find_if(part.begin(), part.end(), [](float g) { return !std::isfinite(g); });
    if (bad != part.end())
      return fmt::format("the gradient of {} has {} at {}", parameters.info(ParameterId{i}).path,
                         unsigned_nan(*bad), bad - part.begin());
  }
  return {};
}

}  // namespace assay
