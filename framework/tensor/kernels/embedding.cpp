#include "tensor/kernels/embedding.h"

#include <algorithm>
#include <cstring>

#include "tensor/kernels/update.h"

namespace assay {

void gather_rows(const float* table, std::int64_t width, std::span<const std::int32_t> ids,
                 float* out) {
  const std::size_t bytes = static_cast<std::size_t>(width) * sizeof(float);
  for (std::int32_t id : ids) {
    if (id < 0)
      std::memset(out, 0, bytes);
    else
      std::memcpy(out, table + id * width, bytes);
    out += width;
  }
}

void scatter_add_rows(const float* d, std::int64_t width, std::span<const std::int32_t> ids,
                      std::int64_t rows, Into table) {
  if (!table.accumulate) std::fill(table.data, table.data + rows * width, 0.0F);
  const auto count = static_cast<std::size_t>(width);
  for (std::int32_t id : ids) {
    if (id >= 0) add_into({table.data + id * width, count}, {d, count});
    d += width;
  }
}

}  // namespace assay
