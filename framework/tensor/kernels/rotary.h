// Rotary positions (Su et al., 2021, "RoFormer"): each pair of numbers of a head turns by an angle
// that grows with the position, so that the product of a query and a key depends on their distance
// alone.
#pragma once

#include <cstdint>

#include "base/api.h"
#include "tensor/kernels/into.h"

namespace assay {

/// y = x turned: x, y [B, N, H W], whose position n has the angles of row n of cosines and sines
/// [N, W / 2]. Pair i of a head: its numbers i and W / 2 + i. backward: by the opposite angles.
struct Rotation {
  std::int64_t batch = 0, positions = 0, heads = 0, head_width = 0;
  const float* cosines = nullptr;
  const float* sines = nullptr;
  bool backward = false;
};
ASSAY_API void rotate(const Rotation& rotation, const float* x, Into y);

}  // namespace assay
