// Numbers that agree one by one.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace assay {

inline void expect_near(const std::vector<double>& got, const std::vector<double>& wanted,
                        double tolerance) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], tolerance) << i;
}

}  // namespace assay
