#include "base/prefault.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <vector>

namespace assay {
namespace {

constexpr std::size_t kPage = 4096;

TEST(Prefault, KeepsWhatIsThere) {
  std::string text(10 * kPage + 7, 'x');
  prefault(text.data() + 3, text.size() - 3);
  EXPECT_EQ(text, std::string(text.size(), 'x'));
}

TEST(Prefault, LeavesPagesThatAreOnlyPartlyInsideAlone) {
  auto* const memory = static_cast<char*>(
      ::mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  prefault(memory + 1, 3 * kPage - 2);
  std::vector<unsigned char> present(3);
  ASSERT_EQ(::mincore(memory, 3 * kPage, present.data()), 0);
  EXPECT_FALSE(present[0] & 1);
  EXPECT_FALSE(present[2] & 1);
  ::munmap(memory, 3 * kPage);
}

TEST(Prefault, OfNothingDoesNothing) {
  prefault(nullptr, 0);
}

}  // namespace
}  // namespace assay
