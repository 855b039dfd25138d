// D50, with logits [1, 3, 3, 2].
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "interfaces/sampler.h"
#include "plugins/bundled.h"
#include "plugins/logits.h"
#include "support/thrown.h"

namespace assay {
namespace {

std::vector<float> at(const std::string& temperature, std::vector<float> logits = {1, 3, 3, 2}) {
  make<Sampler>("{type: temperature, temperature: " + temperature + "}", {})->apply(logits);
  return logits;
}

TEST(Temperature, HalfSharpens) {
  const auto p = softmax(at("0.5"));
  const std::vector<double> wanted = {0.008504, 0.464328, 0.464328, 0.062840};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(p[i], wanted[i], 1e-6);
}

TEST(Temperature, OneChangesNothing) {
  EXPECT_EQ(at("1"), (std::vector<float>{1, 3, 3, 2}));
}

TEST(Temperature, ZeroKeepsOnlyTheLowestIdOfTheBest) {
  EXPECT_EQ(at("0"), (std::vector<float>{kForbidden, 3, kForbidden, kForbidden}));
  EXPECT_EQ(at("0", {kForbidden, 2, 2}), (std::vector<float>{kForbidden, 2, kForbidden}));
}

TEST(Temperature, TinyOnesStayFinite) {
  for (const char* t : {"1e-6", "1e-38", "1e-300"}) {
    const auto p = softmax(at(t));
    const std::vector<double> wanted = {0, 0.5, 0.5, 0};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(p[i], wanted[i], 1e-12) << t;
  }
}

TEST(Temperature, KeepsForbiddenTokensForbidden) {
  for (const char* t : {"0.5", "2", "1e-38", "1e300"})
    EXPECT_EQ(at(t, {1, kForbidden, 3})[1], kForbidden) << t;
}

TEST(Temperature, RefusesNegativeAndNonFiniteOnes) {
  for (const char* t : {"-1", "-1e-9", ".nan", "nan", ".inf", "inf"})
    EXPECT_EQ(thrown([&] { at(t); }).substr(0, 4), "[2] ") << t;
}

}  // namespace
}  // namespace assay
