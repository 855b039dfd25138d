#include "base/prefault.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace assay {

void prefault(void* memory, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page - 1) / page * page,
                       last = (begin + bytes) / page * page;
  if (first >= last) return;
  auto* const start = reinterpret_cast<void*>(first);
  ::madvise(start, last - first, MADV_HUGEPAGE);
  ::madvise(start, last - first, MADV_POPULATE_WRITE);
#else
  static_cast<void>(memory), static_cast<void>(bytes);
#endif
}

}  // namespace assay
