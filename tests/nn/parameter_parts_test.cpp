#include "nn/parameter_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/parallel.h"

namespace assay {
namespace {

TEST(ParameterParts, TouchEachTrainableNumberOnceAndNoOther) {
  Parameters parameters;
  parameters.add("small", {3}, {});
  const ParameterId frozen = parameters.add("frozen", {20}, {});
  const ParameterId large = parameters.add("large", {300, 2000}, {});
  parameters.initialise(1);
  parameters.set_trainable(frozen, false);
  std::vector<float> touched(parameters.buffer().size());
  Pool pool(3);
  pool.run([&] {
    ParameterParts(parameters).for_each([&](const ParameterPart& part) {
      for (float& t : part.of(std::span<float>(touched))) t += 1;
    });
  });
  EXPECT_EQ(std::count(touched.begin(), touched.end(), 1.0F), 3 + 300 * 2000);
  EXPECT_EQ(std::count(touched.begin(), touched.end(), 0.0F),
            static_cast<std::ptrdiff_t>(touched.size()) - 3 - 300 * 2000);
  for (const float t : parameters.slice(touched, frozen)) EXPECT_EQ(t, 0);
  for (const float t : parameters.slice(touched, large)) EXPECT_EQ(t, 1);
}

}  // namespace
}  // namespace assay
