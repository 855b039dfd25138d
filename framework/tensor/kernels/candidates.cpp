#include "tensor/kernels/candidates.h"

#include <algorithm>
#include <array>

#include "tensor/kernels/update.h"

namespace assay {
namespace {

// Eight sums side by side, which the compiler keeps in vectors: the order of additions is fixed.
float dot(const float* a, const float* b, std::size_t width) {
  constexpr std::size_t kLanes = 8;
  std::array<float, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= width; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (; i < width; ++i) sums[i % kLanes] += a[i] * b[i];
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

// use(number of the list, ids of the list)
template <class Use>
void for_each_list(std::span<const std::int32_t> ids, std::int64_t each, const Use& use) {
  const auto length = static_cast<std::size_t>(each);
  for (std::size_t list = 0; list * length < ids.size(); ++list)
    use(list, ids.subspan(list * length, length));
}

float share_of(std::span<const std::int32_t> list) {
  const auto count =
      std::count_if(list.begin(), list.end(), [](std::int32_t id) { return id >= 0; });
  return count == 0 ? 0 : 1 / static_cast<float>(count);
}

void clear(Into table, std::int64_t rows, std::int64_t width) {
  if (!table.accumulate) std::fill(table.data, table.data + rows * width, 0.0F);
}

}  // namespace

void mean_rows(const float* table, std::int64_t width, std::span<const std::int32_t> ids,
               std::int64_t each, float* out) {
  const auto count = static_cast<std::size_t>(width);
  for_each_list(ids, each, [&](std::size_t number, std::span<const std::int32_t> list) {
    const std::span<float> mean(out + number * count, count);
    std::fill(mean.begin(), mean.end(), 0.0F);
    const float share = share_of(list);
    for (const std::int32_t id : list)
      if (id >= 0) add_scaled(mean, share, {table + id * width, count});
  });
}

void scatter_mean_rows(const float* d, std::int64_t width, std::span<const std::int32_t> ids,
                       std::int64_t each, std::int64_t rows, Into table) {
  if (!table.data) return;
  clear(table, rows, width);
  const auto count = static_cast<std::size_t>(width);
  for_each_list(ids, each, [&](std::size_t number, std::span<const std::int32_t> list) {
    const float share = share_of(list);
    for (const std::int32_t id : list)
      if (id >= 0) add_scaled({table.data + id * width, count}, share, {d + number * count, count});
  });
}

void score_rows(const float* x, const float* table, std::int64_t width,
                std::span<const std::int32_t> ids, std::int64_t each, float* out) {
  const auto count = static_cast<std::size_t>(width);
  for_each_list(ids, each, [&](std::size_t number, std::span<const std::int32_t> list) {
    for (const std::int32_t id : list)
      *out++ = id < 0 ? 0 : dot(x + number * count, table + id * width, count);
  });
}

void add_scored_rows(const float* d, const float* table, std::int64_t width,
                     std::span<const std::int32_t> ids, std::int64_t each, Into dx) {
  if (!dx.data) return;
  const auto count = static_cast<std::size_t>(width);
  for_each_list(ids, each, [&](std::size_t number, std::span<const std::int32_t> list) {
    const std::span<float> row(dx.data + number * count, count);
    if (!dx.accumulate) std::fill(row.begin(), row.end(), 0.0F);
    for (const std::int32_t id : list) {
      if (id >= 0) add_scaled(row, *d, {table + id * width, count});
      ++d;
    }
  });
}

void scatter_scored_rows(const float* d, const float* x, std::int64_t width,
                         std::span<const std::int32_t> ids, std::int64_t each, std::int64_t rows,
                         Into dtable) {
  if (!dtable.data) return;
  clear(dtable, rows, width);
  const auto count = static_cast<std::size_t>(width);
  for_each_list(ids, each, [&](std::size_t number, std::span<const std::int32_t> list) {
    for (const std::int32_t id : list) {
      if (id >= 0) add_scaled({dtable.data + id * width, count}, *d, {x + number * count, count});
      ++d;
    }
  });
}

}  // namespace assay
