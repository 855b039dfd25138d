#include "base/huge_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace assay {

// Not from the heap: it keeps its notes beside the memory that it hands out, and a page that is
// touched for a note stays small, with all others of its huge page.
HugePages::HugePages(std::size_t bytes) : size_(bytes) {
  const std::size_t reserved = bytes + kHugePage;
  void* const got =
      ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(got);
  const std::size_t before =
      (kHugePage - reinterpret_cast<std::uintptr_t>(got) % kHugePage) % kHugePage;
  data_ = first + before;
  if (before > 0) ::munmap(first, before);
  ::munmap(data_ + bytes, kHugePage - before);
#ifdef MADV_HUGEPAGE
  ::madvise(data_, bytes, MADV_HUGEPAGE);
#endif
}

HugePages::~HugePages() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void prepare_heap() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
  constexpr int kHeap = 32 << 20;  // glibc's largest threshold
  ::mallopt(M_MMAP_THRESHOLD, kHeap);
  ::mallopt(M_TRIM_THRESHOLD, 2 * kHeap);
  ::mallopt(M_TOP_PAD, kHeap);
  // The addresses up to the first huge page stay unused, and untouched, for ever.
  static void* unused = nullptr;
  const auto end = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  unused = std::malloc(kHugePage - end % kHugePage);
  ::mallopt(M_TOP_PAD, static_cast<int>(kHugePage));
  const std::uintptr_t begin = (end + kHugePage - 1) / kHugePage * kHugePage;
  const auto last = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  if (unused != nullptr && begin < last)
    ::madvise(reinterpret_cast<void*>(begin), last - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace assay
