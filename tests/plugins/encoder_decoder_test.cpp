// REFERENCE S19: the encoder-decoder.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plugins/model_under_test.h"

namespace assay {
namespace {

constexpr std::int64_t kIds = 11, kSource = 6, kTarget = 5;

struct TranslatorSubject : ModelUnderTest {
  explicit TranslatorSubject(const std::string& options = "")
      : ModelUnderTest("{type: encoder_decoder, layers: 2, heads: 2, width: 16" + options + "}",
                       {{{"source", kIds, kSource, 0},
                         {"input", kIds, kTarget, 0},
                         {"target", kIds - 1, kTarget, 0}}},
                       64) {}
};

Batch pairs(const IdRows& source, const IdRows& input) {
  Batch batch(static_cast<std::int64_t>(source.size()));
  add_ids(batch, "source", source);
  add_ids(batch, "input", input);
  return batch;
}

// D = 32, H = 2, one layer each: as the listing of the reference has them.
TEST(EncoderDecoder, OfTheReferenceHas30698Parameters) {
  const ModelUnderTest subject(
      "{type: encoder_decoder, layers: 1, heads: 2, width: 32}",
      {{{"source", 11, 10, 0}, {"input", 11, 10, 0}, {"target", 10, 10, 0}}}, 64);
  // embedding, positions; encoder: attention, MLP, two norms; decoder: twice the attention, three
  // norms; last norm, output
  const std::int64_t attention = 4 * 32 * 32, mlp = 2 * 32 * 128 + 128 + 32, norm = 64;
  EXPECT_EQ(subject.parameters.count(), 11 * 32 + 2 * 10 * 32 + attention + mlp + 2 * norm +
                                            2 * attention + mlp + 3 * norm + norm + 32 * 10 + 10);
  EXPECT_EQ(subject.parameters.count(), 30698);
}

TEST(EncoderDecoder, WithACacheGivesTheLogitsOfRecomputing) {
  for (const char* options : {"", ", positions: rotary, key_heads: 1, qk_norm: true",
                              ", positions: relative, block: post_norm, window: 2"}) {
    const TranslatorSubject subject(options);
    const IdRows source = {{1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 0, 0}};
    const IdRows input = {{10, 1, 2, 3, 4}, {10, 9, 8, 7, 6}};
    const std::vector<std::uint8_t> marks = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
    Batch whole = pairs(source, input);
    add_marks(whole, "source_mask", {2, kSource}, marks);
    const auto all = subject.logits(whole);
    KeyValueCache cache(2, kTarget);
    for (std::size_t n = 0; n < kTarget; ++n) {
      Batch next = pairs(source, {{input[0][n]}, {input[1][n]}});
      add_marks(next, "source_mask", {2, kSource}, marks);
      const auto fresh = subject.logits(next, &cache);
      cache.advance(1);
      for (std::size_t row = 0; row < 2; ++row)
        for (std::size_t k = 0; k < 10; ++k)
          EXPECT_NEAR(fresh[row * 10 + k], all[(row * kTarget + n) * 10 + k], 1e-5) << options;
    }
  }
}

// D35
TEST(EncoderDecoder, GivesPaddedPairsWhatTheyHaveAlone) {
  const TranslatorSubject subject;
  const auto alone = subject.logits(pairs({{3, 4, 5}}, {{10, 5}}));
  for (const std::int32_t pad : {0, 9}) {
    Batch batch = pairs({{1, 2, 3, 4, 5, 6}, {3, 4, 5, pad, pad, pad}},
                        {{10, 6, 5, 4, 3}, {10, 5, pad, pad, pad}});
    const std::vector<std::uint8_t> source = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    const std::vector<std::uint8_t> target = {1, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    add_marks(batch, "source_mask", {2, kSource}, source);
    add_marks(batch, "mask", {2, kTarget}, target);
    const auto together = subject.logits(batch);
    for (std::size_t i = 0; i < 2 * 10; ++i)
      EXPECT_NEAR(together[kTarget * 10 + i], alone[i], 1e-5);
  }
}

TEST(EncoderDecoder, DependsOnAllOfTheSourceAndNotOnWhatComesAfter) {
  const TranslatorSubject subject;
  const auto before = subject.logits(pairs({{1, 2, 3, 4, 5, 6}}, {{10, 1, 2, 3, 4}}));
  const auto source = subject.logits(pairs({{1, 2, 3, 4, 5, 7}}, {{10, 1, 2, 3, 4}}));
  EXPECT_FALSE(std::equal(before.begin(), before.begin() + 10, source.begin()));
  const auto later = subject.logits(pairs({{1, 2, 3, 4, 5, 6}}, {{10, 1, 2, 9, 9}}));
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 3 * 10, later.begin()));
}

}  // namespace
}  // namespace assay
