// Every part of the transformer layer with every other: combinations drawn at random, held to what
// any decoder must do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "plugins/model_under_test.h"

namespace assay {
namespace {

constexpr std::int64_t kVocabulary = 11, kContext = 8;

std::string drawn(std::uint64_t number) {
  const Random random(5, "options", number);
  std::uint64_t next = 0;
  const auto one_of = [&](const std::vector<std::string>& choices) {
    return choices[static_cast<std::size_t>(random.below(next++, choices.size()))];
  };
  std::string yaml = "{type: gpt, layers: 2, heads: 4, width: 16";
  yaml += ", block: " + one_of({"pre_norm", "post_norm", "parallel"});
  yaml += ", norm: " + one_of({"layer", "rms"});
  yaml +=
      ", positions: " + one_of({"learned", "sinusoidal", "rotary", "alibi", "relative", "none"});
  yaml += ", mlp: " + one_of({"gelu", "gelu_tanh", "relu", "swiglu", "geglu"});
  yaml += ", attention_bias: " + one_of({"true", "false"});
  yaml += ", mlp_bias: " + one_of({"true", "false"});
  yaml += ", qk_norm: " + one_of({"true", "false"});
  yaml += ", tied: " + one_of({"true", "false"});
  yaml += one_of({"", ", key_heads: 1", ", key_heads: 2"});
  yaml += one_of({"", ", window: 1", ", window: 3"});
  yaml += one_of({"", ", mlp_width: 9"});
  yaml += one_of({"", "", ", experts: 3, experts_per_token: 1", ", experts: 4"});
  return yaml + "}";
}

class DrawnOptions : public testing::TestWithParam<int> {
 protected:
  std::string yaml_ = drawn(static_cast<std::uint64_t>(GetParam()));
};

// Causality to the bit, gradients against differences, threads, rows, the cache. Differences would
// reach over the kinks of ReLU and the jumps of a choice among experts: their gradients are checked
// in golden/block_variants.json, and here that of all experts together.
TEST_P(DrawnOptions, KeepTheContractOfModels) {
  if (const auto relu = yaml_.find("mlp: relu"); relu != std::string::npos)
    yaml_.replace(relu, 9, "mlp: gelu");
  Registry registry({ASSAY_BUNDLED_PLUGINS});
  const auto failures = [&] {
    return check_plugin(registry, "model", read_yaml(yaml_, "drawn"), ".");
  };
  if (yaml_.find("experts: ") == std::string::npos) {
    EXPECT_EQ(failures(), Failures{}) << yaml_;
    return;
  }
  for (const std::string& one : failures())
    EXPECT_NE(one.find("by differences"), std::string::npos) << one << yaml_;
  yaml_ = yaml_.substr(0, yaml_.find(", experts: ")) + ", experts: 3, experts_per_token: 3}";
  EXPECT_EQ(failures(), Failures{}) << yaml_;
}

// 1e-5: other shapes sum in another order, at logits of about 1.
TEST_P(DrawnOptions, GiveWithACacheWhatRecomputingGives) {
  const ModelUnderTest subject(yaml_, token_spec(kVocabulary, kContext), kContext, 3);
  const std::vector<std::int32_t> ids = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto all = subject.logits(ids_batch({ids}));
  KeyValueCache cache(1, kContext);
  std::size_t begin = 0;
  for (const std::size_t n : {3, 1, 2, 1, 1}) {
    const auto at = ids.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto fresh =
        subject.logits(ids_batch({{at, at + static_cast<std::ptrdiff_t>(n)}}), &cache);
    cache.advance(static_cast<std::int64_t>(n));
    for (std::size_t i = 0; i < n * kVocabulary; ++i) {
      const float wanted = all[begin * kVocabulary + i];
      EXPECT_NEAR(fresh[i], wanted, 1e-5 * std::max(1.0F, std::abs(wanted))) << yaml_;
    }
    begin += n;
  }
}

// D35: a short row beside a longer one, padded on either side, has what it has alone.
TEST_P(DrawnOptions, GivePaddedRowsWhatTheyHaveAlone) {
  const ModelUnderTest subject(yaml_, token_spec(kVocabulary, kContext), kContext, 3);
  const auto alone = subject.logits(ids_batch({{5, 6, 7}}));
  for (const bool left : {false, true}) {
    std::vector<std::int32_t> padded = {5, 6, 7, 9, 9, 9, 9, 9};
    if (left) std::rotate(padded.begin(), padded.begin() + 3, padded.end());
    Batch batch = ids_batch({{5, 6, 7, 8, 9, 3, 1, 2}, padded});
    const auto mask = batch.add_marks("mask", {2, kContext});
    const std::size_t first = left ? 5 : 0;
    std::fill_n(mask.begin(), 8, std::uint8_t{1});
    std::fill_n(mask.begin() + static_cast<std::ptrdiff_t>(8 + first), 3, std::uint8_t{1});
    const auto together = subject.logits(batch);
    for (std::size_t i = 0; i < 3 * kVocabulary; ++i)
      EXPECT_NEAR(together[(8 + first) * kVocabulary + i], alone[i],
                  1e-5 * std::max(1.0F, std::abs(alone[i])))
          << yaml_ << " left " << left;
  }
}

INSTANTIATE_TEST_SUITE_P(Numbers, DrawnOptions, testing::Range(0, 24));

}  // namespace
}  // namespace assay
