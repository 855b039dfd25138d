// A vector of floats that starts on a 64-byte boundary: one cache line, and the widest vector
// registers. Large ones are made present at once (base/prefault.h).
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "base/prefault.h"

namespace assay {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  static constexpr std::size_t kPrefaulted = 64 * 1024;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT: allocators convert implicitly
  T* allocate(std::size_t count) {
    void* memory = ::operator new(count * sizeof(T), kAlignment);
    if (count * sizeof(T) >= kPrefaulted) prefault(memory, count * sizeof(T));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kAlignment); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

using AlignedFloats = std::vector<float, AlignedAllocator<float>>;

}  // namespace assay
