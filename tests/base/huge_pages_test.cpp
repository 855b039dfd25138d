#include "base/huge_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

namespace assay {
namespace {

TEST(HugePages, AreZeroedAlignedAndWritableToTheirEnd) {
  HugePages pages(2 * kHugePage);
  EXPECT_EQ(pages.size(), 2 * kHugePage);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages.data()) % kHugePage, 0U);
  EXPECT_TRUE(std::all_of(pages.data(), pages.data() + pages.size(),
                          [](std::byte b) { return b == std::byte{0}; }));
  std::fill(pages.data(), pages.data() + pages.size(), std::byte{7});
  EXPECT_EQ(pages.data()[pages.size() - 1], std::byte{7});
}

TEST(HugePages, MoveWithoutACopy) {
  HugePages first(kHugePage), second(kHugePage);
  std::byte* const moved = first.data();
  second = std::move(first);
  EXPECT_EQ(second.data(), moved);
  const HugePages third(std::move(second));
  EXPECT_EQ(third.data(), moved);
  EXPECT_EQ(second.data(), nullptr);  // NOLINT(bugprone-use-after-move): that is the question
}

TEST(HugePages, MoreThanTheMachineHasIsABadAlloc) {
  EXPECT_THROW(HugePages(std::numeric_limits<std::size_t>::max() / 4 / kHugePage * kHugePage),
               std::bad_alloc);
}

}  // namespace
}  // namespace assay
