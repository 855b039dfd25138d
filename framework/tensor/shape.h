// The extents of a tensor, outermost first: [B, N, D]. A value; at most five dimensions.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/api.h"

namespace assay {

class ASSAY_API Shape {
 public:
  static constexpr int kMaxRank = 5;

  Shape() = default;                                   // a scalar: rank 0, one element
  Shape(std::initializer_list<std::int64_t> extents);  // REQUIRES at most kMaxRank, none negative

  int rank() const { return rank_; }
  /// Extent of one dimension; negative counts from the last. REQUIRES it exists.
  std::int64_t operator[](int dimension) const {
    return extents_[static_cast<std::size_t>(dimension < 0 ? dimension + rank_ : dimension)];
  }
  std::int64_t elements() const;
  /// All dimensions but the last, multiplied: [B, N, D] has B N rows of D.
  std::int64_t rows() const;
  /// The same shape with another last extent.
  Shape with_last(std::int64_t extent) const;
  Shape appended(std::int64_t extent) const;

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.rank_ == b.rank_ && a.extents_ == b.extents_;
  }
  std::string text() const;  // "(32, 64, 8)"

 private:
  std::array<std::int64_t, kMaxRank> extents_{};  // unused ones stay 0
  int rank_ = 0;
};

}  // namespace assay
