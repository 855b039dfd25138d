#include "io/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

TEST(Crc32c, EqualsTheExamplesOfRfc3720) {  // appendix B.4
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  EXPECT_EQ(crc32c(rising), 0x46dd794eU);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
}

}  // namespace
}  // namespace assay
