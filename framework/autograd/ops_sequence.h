// Operations on sequences of ids.
#pragma once

#include <cstdint>
#include <span>

#include "base/api.h"
#include "tensor/tensor.h"

namespace assay {

/// Rows of table [K, D] by id: [..., D] with the leading shape given. A negative id gives zeros
/// (padding). Throws if an id is K or more.
ASSAY_API Tensor embedding(Tensor table, std::span<const std::int32_t> ids, const Shape& leading);
/// x [B, N, D] + positions[first .. first + N) of [C, D]. Throws if first + N > C.
ASSAY_API Tensor add_positions(Tensor x, Tensor positions, std::int64_t first = 0);

}  // namespace assay
