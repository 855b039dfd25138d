// Every part of the transformer layer with every other: combinations drawn at random, held to what
// any decoder, encoder or encoder-decoder must do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "plugins/model_under_test.h"

namespace assay {
namespace {

constexpr std::int64_t kVocabulary = 11, kContext = 8;

// What all transformers share.
std::string drawn(const std::string& type, std::uint64_t number) {
  const Random random(5, "options", number);
  std::uint64_t next = 0;
  const auto one_of = [&](const std::vector<std::string>& choices) {
    return choices[static_cast<std::size_t>(random.below(next++, choices.size()))];
  };
  std::string yaml = "{type: " + type + ", layers: 2, heads: 4, width: 16";
  yaml += ", block: " + one_of({"pre_norm", "post_norm", "parallel"});
  yaml += ", norm: " + one_of({"layer", "rms"});
  yaml +=
      ", positions: " + one_of({"learned", "sinusoidal", "rotary", "alibi", "relative", "none"});
  yaml += ", mlp: " + one_of({"gelu", "gelu_tanh", "relu", "swiglu", "geglu"});
  yaml += ", attention_bias: " + one_of({"true", "false"});
  yaml += ", mlp_bias: " + one_of({"true", "false"});
  yaml += ", qk_norm: " + one_of({"true", "false"});
  const std::string tied = one_of({"true", "false"});
  if (type != "encoder_decoder") yaml += ", tied: " + tied;
  yaml += one_of({"", ", key_heads: 1", ", key_heads: 2"});
  yaml += one_of({"", ", window: 1", ", window: 3"});
  yaml += one_of({"", ", mlp_width: 9"});
  yaml += one_of({"", "", ", experts: 3, experts_per_token: 1", ", experts: 4"});
  return yaml + "}";
}

class DrawnOptions : public testing::TestWithParam<int> {
 protected:
  std::string of(const std::string& type) const {
    return drawn(type, static_cast<std::uint64_t>(GetParam()));
  }
  std::string yaml_ = of("gpt");
};

// 1e-5, as logits are of about size 1.
void expect_alike(std::span<const float> found, std::span<const float> wanted,
                  const std::string& where) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(found[i], wanted[i], 1e-5 * std::max(1.0F, std::abs(wanted[i]))) << where;
}

struct PaddedRow {
  std::vector<std::int32_t> ids;
  std::vector<std::uint8_t> marks;
  std::size_t first = 0;  // of what is no padding
};

// ids with padding up to `length`, on the left or on the right.
PaddedRow padded(const std::vector<std::int32_t>& ids, std::size_t length, bool left,
                 std::int32_t pad) {
  PaddedRow row{std::vector<std::int32_t>(length, pad), std::vector<std::uint8_t>(length),
                left ? length - ids.size() : 0};
  std::copy(ids.begin(), ids.end(), row.ids.begin() + static_cast<std::ptrdiff_t>(row.first));
  std::fill_n(row.marks.begin() + static_cast<std::ptrdiff_t>(row.first), ids.size(),
              std::uint8_t{1});
  return row;
}

std::vector<std::uint8_t> after_a_whole_row(const PaddedRow& row) {
  std::vector<std::uint8_t> marks(row.ids.size(), 1);
  marks.insert(marks.end(), row.marks.begin(), row.marks.end());
  return marks;
}

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
  for (const std::string type : {"gpt", "bert"}) {
    const ModelUnderTest subject(of(type), token_spec(kVocabulary, kContext), kContext, 3);
    const auto alone = subject.logits(ids_batch({{5, 6, 7}}));
    const std::size_t classes = alone.size() / 3;
    for (const bool left : {false, true})
      for (const std::int32_t pad : {0, 9}) {
        const PaddedRow row = padded({5, 6, 7}, kContext, left, pad);
        Batch batch = ids_batch({{5, 6, 7, 8, 9, 3, 1, 2}, row.ids});
        add_marks(batch, "mask", {2, kContext}, after_a_whole_row(row));
        const auto together = subject.logits(batch);
        expect_alike(std::span(together).subspan((kContext + row.first) * classes), alone,
                     of(type) + (left ? " left" : " right"));
      }
  }
}

TEST_P(DrawnOptions, GivePaddedPairsWhatTheyHaveAlone) {
  std::string yaml = of("encoder_decoder");
  if (const auto block = yaml.find("parallel"); block != std::string::npos)
    yaml.replace(block, 8, "pre_norm");  // it has no place for cross-attention
  const ModelUnderTest subject(yaml,
                               {{{"source", kVocabulary, kContext, 0},
                                 {"input", kVocabulary, kContext, 0},
                                 {"target", kVocabulary, kContext, 0}}},
                               kContext, 3);
  const auto pairs = [](const IdRows& source, const IdRows& input) {
    Batch batch = ids_batch(source, "source");
    add_ids(batch, "input", input);
    return batch;
  };
  const auto alone = subject.logits(pairs({{3, 4, 5}}, {{10, 5}}));
  const std::vector<std::int32_t> whole = {1, 2, 3, 4, 5, 6, 7, 8};
  for (const bool left : {false, true}) {
    const PaddedRow source = padded({3, 4, 5}, kContext, left, 9);
    const PaddedRow input = padded({10, 5}, kContext, left, 0);
    Batch batch = pairs({whole, source.ids}, {whole, input.ids});
    add_marks(batch, "source_mask", {2, kContext}, after_a_whole_row(source));
    add_marks(batch, "mask", {2, kContext}, after_a_whole_row(input));
    const auto together = subject.logits(batch);
    expect_alike(std::span(together).subspan((kContext + input.first) * kVocabulary), alone,
                 yaml + (left ? " left" : " right"));
  }
}

INSTANTIATE_TEST_SUITE_P(Numbers, DrawnOptions, testing::Range(0, 24));

}  // namespace
}  // namespace assay
