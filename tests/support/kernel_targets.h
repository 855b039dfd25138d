// Runs a test once for each instruction set that the kernels are built for and the processor has:
//
//   using Gelu = KernelTest;
//   TEST_P(Gelu, AgreesWithTheErrorFunction) { ... }
//   ASSAY_ALL_TARGETS(Gelu);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "tensor/kernels/highway_targets.h"

// After highway_targets.h, which says what is built.
#include <hwy/targets.h>

namespace assay {

class KernelTest : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    hwy::SetSupportedTargetsForTest(GetParam());
    hwy::GetChosenTarget().Update(GetParam());
  }
  void TearDown() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

inline std::vector<std::int64_t> kernel_targets() {
  constexpr std::int64_t plain = (HWY_TARGETS & HWY_EMU128) != 0 ? HWY_EMU128 : HWY_SCALAR;
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  if ((HWY_TARGETS & plain) != 0 && targets.back() != plain) targets.push_back(plain);
  return targets;
}

inline std::string target_name(const testing::TestParamInfo<std::int64_t>& info) {
  return hwy::TargetName(info.param);
}

#define ASSAY_ALL_TARGETS(test) \
  INSTANTIATE_TEST_SUITE_P(On, test, testing::ValuesIn(kernel_targets()), target_name)

/// Standard normal numbers, the same for the same name.
inline std::vector<float> normal_numbers(std::int64_t count, std::string_view name) {
  const Random random(7, name);
  std::vector<float> v;
  for (std::int64_t i = 0; i < count; ++i)
    v.push_back(static_cast<float>(random.normal(static_cast<std::uint64_t>(i))));
  return v;
}

/// The largest difference, relative to the largest number of the two.
template <class A, class B>
double relative_difference(const A& a, const B& b) {
  double difference = 0, largest = 1e-30;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    if (!(std::abs(x - y) <= difference)) difference = std::abs(x - y);  // NaN too
    largest = std::max({largest, std::abs(x), std::abs(y)});
  }
  return difference / largest;
}

}  // namespace assay
