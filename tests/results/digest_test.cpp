#include "results/digest.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

using Weights = std::vector<float>;

// Computed with Python's struct and hashlib from the description in digest.h.
TEST(Digest, GivesTheDescribedHash) {
  State state;
  EXPECT_EQ(digest(state), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  state["b"] = {{2, 1}, Weights{1.5F, -0.0F}};
  state["a/q"] = {{3}, std::string("abc")};
  EXPECT_EQ(digest(state), "0ae45f54bd788714ff5c1c9e499548d1e1cd469bceba078d39cc80123f0a9c08");
}

TEST(Digest, TellsNamesShapesKindsAndBitsApart) {
  const auto of = [](const std::string& name, const StateArray& array) {
    State state;
    state[name] = array;
    return digest(state);
  };
  const std::string base = of("w", {{2}, Weights{0.0F, 1.0F}});
  EXPECT_NE(base, of("v", {{2}, Weights{0.0F, 1.0F}}));
  EXPECT_NE(base, of("w", {{2, 1}, Weights{0.0F, 1.0F}}));
  EXPECT_NE(base, of("w", {{2}, std::vector<double>{0.0, 1.0}}));
  EXPECT_NE(base, of("w", {{2}, Weights{-0.0F, 1.0F}}));
  EXPECT_NE(base, of("w", {{2}, Weights{0.0F, std::nextafter(1.0F, 2.0F)}}));
  EXPECT_EQ(base, of("w", {{2}, Weights{0.0F, 1.0F}}));
}

TEST(Digest, DoesNotRunNeighbouringEntriesTogether) {
  State one, two;
  one["a"] = {{2}, std::string("bc")};
  two["a"] = {{1}, std::string("b")};
  two["c"] = {{0}, std::string()};
  EXPECT_NE(digest(one), digest(two));
}

}  // namespace
}  // namespace assay
