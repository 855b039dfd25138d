#include "tensor/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace assay {
namespace {

TEST(Arena, AlignsTo64BytesAndNeverOverlaps) {
  Arena arena;
  float* last = nullptr;
  for (std::int64_t count : {1, 7, 100000, 3, 500000}) {
    float* p = arena.floats(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
    std::fill(p, p + count, static_cast<float>(count));
    if (last) {
      EXPECT_NE(*last, static_cast<float>(count));
    }
    last = p;
  }
}

TEST(Arena, ThePassAfterResetUsesTheSameMemoryInOnePiece) {
  Arena arena;
  arena.floats(100);
  arena.floats(1000000);
  arena.floats(100);
  const std::size_t peak = arena.peak_bytes();
  arena.reset();
  float* first = arena.floats(100);
  float* second = arena.floats(1000000);
  EXPECT_EQ(second, first + 112);  // 100 floats are rounded up to whole 64 bytes
  arena.floats(100);
  EXPECT_EQ(arena.peak_bytes(), peak);
  arena.reset();
  EXPECT_EQ(arena.floats(100), first);
}

TEST(Arena, AnEmptyRequestGivesAUsablePointer) {
  Arena arena;
  EXPECT_NE(arena.floats(0), nullptr);
}

}  // namespace
}  // namespace assay
