#include "base/fingerprint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay {
namespace {

// Golden values from the formula of the header in Python's integers:
//   r, m = 0x9e3779b97f4a7c15, 2**64 - 1
//   mix = lambda h: (h * r & m) ^ ((h * r & m) >> 32)
TEST(Fingerprint, GivesTheDescribedHash) {
  EXPECT_EQ(fingerprint({}), 0x701bdd371d557ba1U);
  EXPECT_EQ(fingerprint(std::vector<float>{1, -2.5F, 0.1F}), 0xf1081f90eb385d24U);
  std::vector<float> many(19);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = 0.25F * static_cast<float>(i);
  EXPECT_EQ(fingerprint(many), 0xb5429e77329ded86U);
}

TEST(Fingerprint, ChangesWithEveryBitWithOrderAndWithLength) {
  std::vector<float> values(40, 1.0F);
  const std::uint64_t whole = fingerprint(values);
  for (float& value : values) {
    value = std::nextafter(1.0F, 2.0F);
    EXPECT_NE(fingerprint(values), whole);
    value = 1.0F;
  }
  values.push_back(0);
  EXPECT_NE(fingerprint(values), whole);
  values[0] = 2;
  const std::uint64_t ordered = fingerprint(values);
  std::swap(values[0], values[8]);  // of one lane
  EXPECT_NE(fingerprint(values), ordered);
  EXPECT_NE(fingerprint(std::vector<float>{0.0F}), fingerprint(std::vector<float>{-0.0F}));
}

}  // namespace
}  // namespace assay
