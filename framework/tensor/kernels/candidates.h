// Rows of a table, chosen by short lists of ids: means of them, and products with them. Every list
// has `each` ids; negative ones are left out. REQUIRES ids < rows. Additions go in the order of
// ids.
#pragma once

#include <cstdint>
#include <span>

#include "base/api.h"
#include "tensor/kernels/into.h"

namespace assay {

/// out [lists, width] = mean of the rows of table [rows, width] that a list names; zeros for none.
ASSAY_API void mean_rows(const float* table, std::int64_t width, std::span<const std::int32_t> ids,
                         std::int64_t each, float* out);
/// table [rows, width] += d [lists, width], by its list's rows, over their number. Without
/// accumulate the table is cleared first.
ASSAY_API void scatter_mean_rows(const float* d, std::int64_t width,
                                 std::span<const std::int32_t> ids, std::int64_t each,
                                 std::int64_t rows, Into table);

/// out [lists, each] = x [lists, width] . rows of table; 0 for a negative id.
ASSAY_API void score_rows(const float* x, const float* table, std::int64_t width,
                          std::span<const std::int32_t> ids, std::int64_t each, float* out);
/// dx [lists, width] = sum of d [lists, each] times the rows of table.
ASSAY_API void add_scored_rows(const float* d, const float* table, std::int64_t width,
                               std::span<const std::int32_t> ids, std::int64_t each, Into dx);
/// dtable [rows, width] += d [lists, each] times x [lists, width]. Without accumulate it is cleared
/// first.
ASSAY_API void scatter_scored_rows(const float* d, const float* x, std::int64_t width,
                                   std::span<const std::int32_t> ids, std::int64_t each,
                                   std::int64_t rows, Into dtable);

}  // namespace assay
