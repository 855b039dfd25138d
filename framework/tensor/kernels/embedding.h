// Rows of a table by id.
#pragma once

#include <cstdint>
#include <span>

#include "base/api.h"
#include "tensor/kernels/into.h"

namespace assay {

/// out [ids, width] = rows of table [rows, width]. A negative id gives zeros. REQUIRES ids < rows.
ASSAY_API void gather_rows(const float* table, std::int64_t width,
                           std::span<const std::int32_t> ids, float* out);
/// table [rows, width] += each row of d [ids, width] at its id, in the order of ids; negative ids
/// are left out. Without accumulate the table is cleared first.
ASSAY_API void scatter_add_rows(const float* d, std::int64_t width,
                                std::span<const std::int32_t> ids, std::int64_t rows, Into table);

}  // namespace assay
