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

/// x [B, N, D] without its other positions: [B, count, D], those from first on.
ASSAY_API Tensor some_positions(Tensor x, std::int64_t first, std::int64_t count);

/// The angles of the positions of a sequence, as cosines and sines [N, W / 2] of what a head's
/// pairs turn by.
struct RotaryAngles {
  std::span<const float> cosines, sines;
};
/// x [B, N, H W] with each pair of a head's numbers turned by its angle at that position (Su et
/// al., 2021, eq. 34; pairs W / 2 apart). REQUIRES W is even.
ASSAY_API Tensor rotary(Tensor x, std::int64_t heads, const RotaryAngles& angles);

}  // namespace assay
