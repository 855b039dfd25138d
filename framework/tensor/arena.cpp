#include "tensor/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

namespace assay {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Blocks are whole huge pages, where the kernel has them: one fault in place of 512 at the first
// touch, and fewer misses of the address cache afterwards. What is left over would be touched in
// small ones.
std::size_t block_bytes(std::size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

}  // namespace

struct Arena::Block {
  explicit Block(std::size_t bytes)
      : size(bytes),
        data(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kHugePage}))) {
    madvise(data, bytes, MADV_HUGEPAGE);  // a hint: refusal does not matter
  }
  Block(Block&& other) noexcept : size(other.size), data(std::exchange(other.data, nullptr)) {}
  Block& operator=(Block&& other) noexcept {
    std::swap(size, other.size);
    std::swap(data, other.data);
    return *this;
  }
  ~Block() { ::operator delete (data, std::align_val_t{kHugePage}); }

  std::size_t size;
  std::byte* data;
};

Arena::Arena() = default;
Arena::~Arena() = default;

void* Arena::take(std::size_t bytes) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (blocks_.empty() || used_ + bytes > blocks_.back().size) {
    // Each new block doubles what there is, so that a first pass of any size needs few.
    const std::size_t size = block_bytes(std::max({bytes, total_, std::size_t{1}}));
    full_ += used_;
    blocks_.emplace_back(size);
    total_ += size;
    used_ = 0;
  }
  void* memory = blocks_.back().data + used_;
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
