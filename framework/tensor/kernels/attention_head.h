// One head of one sequence, as the attention kernels see it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace assay {

/// Rows of W floats, `stride` apart.
struct Rows {
  const float* data = nullptr;
  std::size_t stride = 0;
  const float* row(std::size_t i) const { return data + i * stride; }
};

struct AttentionHead {
  std::size_t queries = 0, width = 0;
  std::size_t keys = 0;  // those that are left where padding is taken out
  Rows q, k, v;
  const std::int32_t* positions = nullptr;  // of the keys, ascending; null: 0, 1, 2, ...
  float scale = 1;
  bool causal = false;
  std::int64_t offset = 0;              // causal: query i may use positions <= i + offset
  std::int64_t place = 0;               // query i stands at position i + place
  std::int64_t behind = -1;             // how far back it may look; negative: without limit
  const float* bias = nullptr;          // that of distance 0; or null
  const std::uint8_t* pairs = nullptr;  // [queries, pair_stride] by position, 1 = allowed; or null
  std::size_t pair_stride = 0;

  std::int64_t position(std::size_t key) const {
    return positions ? positions[key] : static_cast<std::int64_t>(key);
  }
  std::int64_t earliest(std::size_t query) const {
    return static_cast<std::int64_t>(query) + place - behind;
  }
  /// The first key that a query may see for its distance.
  std::size_t first(std::size_t query) const {
    if (behind < 0) return 0;
    const std::int64_t begin = earliest(query);
    if (positions)
      return static_cast<std::size_t>(std::lower_bound(positions, positions + keys, begin) -
                                      positions);
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(begin, 0, static_cast<std::int64_t>(keys)));
  }
  /// The keys that causality lets a query see are the first so many.
  std::size_t visible(std::size_t query) const {
    if (!causal) return keys;
    const std::int64_t end = static_cast<std::int64_t>(query) + offset + 1;
    if (positions)
      return static_cast<std::size_t>(std::lower_bound(positions, positions + keys, end) -
                                      positions);
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(end, 0, static_cast<std::int64_t>(keys)));
  }
};

}  // namespace assay
