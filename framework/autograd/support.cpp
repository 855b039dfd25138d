#include "autograd/support.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace assay {

void shape_error(std::string_view operation, const Shape& a, const Shape& b,
                 std::string_view reason) {
  throw Error(ExitCode::plugin,
              fmt::format("[{}] {} x {}: {}", operation, a.text(), b.text(), reason));
}

void shape_error(std::string_view operation, const Shape& a, std::string_view reason) {
  throw Error(ExitCode::plugin, fmt::format("[{}] {}: {}", operation, a.text(), reason));
}

void check_ids(std::string_view operation, std::string_view what, std::span<const std::int32_t> ids,
               std::int64_t limit) {
  // The maximum first: a loop that vectorises, as it runs over every batch.
  std::int32_t largest = -1;
  for (const std::int32_t id : ids) largest = std::max(largest, id);
  if (largest < limit) return;
  const auto at = std::find_if(ids.begin(), ids.end(), [&](auto id) { return id >= limit; });
  throw Error(ExitCode::data, fmt::format("[{}] {} {} at position {}: ids must be below {}",
                                          operation, what, *at, at - ids.begin(), limit));
}

Shape leading(const Shape& shape, int count) {
  Shape part;
  for (int i = 0; i < count; ++i) part = part.appended(shape[i]);
  return part;
}

}  // namespace assay
