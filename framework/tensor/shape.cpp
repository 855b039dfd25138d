#include "tensor/shape.h"

#include <cassert>

namespace assay {

Shape::Shape(std::initializer_list<std::int64_t> extents) {
  assert(extents.size() <= kMaxRank);
  for (std::int64_t extent : extents) {
    assert(extent >= 0);
    extents_[static_cast<std::size_t>(rank_++)] = extent;
  }
}

std::int64_t Shape::elements() const {
  std::int64_t count = 1;
  for (int i = 0; i < rank_; ++i) count *= (*this)[i];
  return count;
}

std::int64_t Shape::rows() const {
  std::int64_t count = 1;
  for (int i = 0; i + 1 < rank_; ++i) count *= (*this)[i];
  return count;
}

Shape Shape::with_last(std::int64_t extent) const {
  assert(rank_ >= 1);
  Shape shape = *this;
  shape.extents_[static_cast<std::size_t>(rank_ - 1)] = extent;
  return shape;
}

Shape Shape::appended(std::int64_t extent) const {
  assert(rank_ < kMaxRank);
  Shape shape = *this;
  shape.extents_[static_cast<std::size_t>(shape.rank_++)] = extent;
  return shape;
}

std::string Shape::text() const {
  std::string text = "(";
  for (int i = 0; i < rank_; ++i) text += (i ? ", " : "") + std::to_string((*this)[i]);
  return text + ")";
}

}  // namespace assay
