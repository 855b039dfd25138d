// A fast hash of numbers, to tell where two runs part. Any one number changed changes it; it is not
// for identities, as two arrays with one hash are easily made.
//
// In 64-bit arithmetic, with r = 0x9e3779b97f4a7c15 (odd) and the numbers' bits x[0], x[1], ...:
//
//   lane[k] = k                                               for k = 0 ... 7
//   lane[i % 8] = mix((lane[i % 8] ^ x[i]) * r)               for i = 0, 1, ...
//   hash = n; hash = mix((hash ^ lane[k]) * r)                for k = 0 ... 7
//   mix(h) = h ^ (h >> 32)
//
// Eight lanes, since one would wait for its own product.
#pragma once

#include <cstdint>
#include <span>

#include "base/api.h"

namespace assay {

ASSAY_API std::uint64_t fingerprint(std::span<const float> values);

}  // namespace assay
