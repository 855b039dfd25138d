// Memory in huge pages. A first touch of a small page costs up to 20 microseconds on virtual
// machines, 10 ms for 2 MiB; that of a huge page 0.2 ms for all of them.
//
//   HugePages block(size);                 // size: a multiple of kHugePage
//   float* values = static_cast<float*>(block.data());
//
// Threads: objects are independent. Errors: std::bad_alloc. Where the kernel has no huge pages to
// give, the memory is the same, only slower.
#pragma once

#include <cstddef>
#include <utility>

#include "base/api.h"

namespace assay {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

class ASSAY_API HugePages {
 public:
  /// Zeroed, and aligned to kHugePage.
  explicit HugePages(std::size_t bytes);
  ~HugePages();
  HugePages(HugePages&& other) noexcept
      : size_(std::exchange(other.size_, 0)), data_(std::exchange(other.data_, nullptr)) {}
  HugePages& operator=(HugePages&& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::byte* data_;
};

/// Sets 32 MiB of addresses aside for the heap, in huge pages, where vectors of up to 32 MiB then
/// lie too. Without glibc, or under a sanitizer, it does nothing. Call it once, first thing in
/// main.
ASSAY_API void prepare_heap();

}  // namespace assay
