#include "tensor/arena.h"

#include <algorithm>

#include "base/huge_pages.h"

namespace assay {
namespace {

constexpr std::size_t kAlignment = 64;

// What is left over of a huge page would be touched in small ones.
std::size_t block_bytes(std::size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

}  // namespace

struct Arena::Block : HugePages {
  using HugePages::HugePages;
};

Arena::Arena() = default;
Arena::~Arena() = default;

void* Arena::take(std::size_t bytes) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (blocks_.empty() || used_ + bytes > blocks_.back().size()) {
    // Each new block doubles what there is, so that a first pass of any size needs few.
    const std::size_t size = block_bytes(std::max({bytes, total_, std::size_t{1}}));
    full_ += used_;
    blocks_.emplace_back(size);
    total_ += size;
    used_ = 0;
  }
  void* memory = blocks_.back().data() + used_;
  used_ += bytes;
  peak_ = std::max(peak_, full_ + used_);
  return memory;
}

void Arena::reset() {
  if (blocks_.size() > 1) {
    blocks_.clear();
    total_ = block_bytes(peak_);
    blocks_.emplace_back(total_);
  }
  used_ = 0;
  full_ = 0;
}

std::size_t Arena::peak_bytes() const {
  return peak_;
}

}  // namespace assay
