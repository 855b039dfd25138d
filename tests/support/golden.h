// Numbers that PyTorch computed in float64 (tests/golden/*.json).
//
//   const Golden golden("layer_norm");
//   const GoldenArray x = golden.array("x");
//   expect_close(y.values(), golden.array("y").values, kForwardTolerance);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tensor/shape.h"

namespace assay {

/// Relative to the largest number of an array: float32 carries 6e-8, and sums of some hundred terms
/// lose a factor of about 100. The same with another factor of 10 for gradients, which pass through
/// several such sums.
constexpr double kForwardTolerance = 1e-5, kGradientTolerance = 1e-4;

/// One array {"shape": [...], "data": [...]}.
struct GoldenArray {
  Shape shape;
  std::vector<float> values;
};

class Golden {
 public:
  explicit Golden(const std::string& name) {
    std::ifstream in(std::string(ASSAY_TESTS) + "/golden/" + name + ".json");
    if (!in) ADD_FAILURE() << "no golden/" << name << ".json";
    json_ = nlohmann::json::parse(in);
  }

  const nlohmann::json& json() const { return json_; }
  bool has(const std::string& key) const { return !json_.at(key).is_null(); }

  static GoldenArray array_of(const nlohmann::json& json) {
    GoldenArray array;
    for (const auto& extent : json.at("shape"))
      array.shape = array.shape.appended(extent.get<std::int64_t>());
    array.values = json.at("data").get<std::vector<float>>();
    return array;
  }
  GoldenArray array(const std::string& key) const { return array_of(json_.at(key)); }

 private:
  nlohmann::json json_;
};

/// The matrix with rows and columns exchanged: PyTorch keeps linear weights as [outputs, inputs].
inline GoldenArray transposed(const GoldenArray& a) {
  const std::int64_t rows = a.shape[0], columns = a.shape[1];
  GoldenArray t = {{columns, rows}, a.values};
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      t.values[static_cast<std::size_t>(j * rows + i)] =
          a.values[static_cast<std::size_t>(i * columns + j)];
  return t;
}

/// Each element within tolerance x the largest of wanted.
inline void expect_close(std::span<const float> got, std::span<const float> wanted,
                         double tolerance, const std::string& what = "") {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  double largest = 0;
  for (const float w : wanted) largest = std::max(largest, std::abs(double{w}));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    ASSERT_NEAR(got[i], wanted[i], tolerance * largest) << what << " at " << i;
}

}  // namespace assay
