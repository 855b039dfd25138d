// REFERENCE S19: the encoder-decoder.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "interfaces/model.h"
#include "nn/key_value_cache.h"
#include "plugins/bundled.h"

namespace assay {
namespace {

constexpr std::int64_t kIds = 11, kSource = 6, kTarget = 5;

struct Subject {
  explicit Subject(const std::string& options = "") {
    spec.fields = {{"source", kIds, kSource, 0},
                   {"input", kIds, kTarget, 0},
                   {"target", kIds - 1, kTarget, 0}};
    model = make<Model>("{type: encoder_decoder, layers: 2, heads: 2, width: 16" + options + "}",
                        {spec, 64, Scope(parameters)});
    parameters.initialise(2);
  }
  std::vector<float> logits(const Batch& batch, KeyValueCache* cache = nullptr) const {
    Tape tape(false);
    Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, "step"));
    pass.cache = cache;
    const auto values = model->forward(batch, pass).logits.values();
    return {values.begin(), values.end()};
  }
  DataSpec spec;
  Parameters parameters;
  std::unique_ptr<Model> model;
};

using Rows = std::vector<std::vector<std::int32_t>>;

void add_ids(Batch& batch, const char* field, const Rows& rows) {
  auto at = batch
                .add_ids(field, {static_cast<std::int64_t>(rows.size()),
                                 static_cast<std::int64_t>(rows[0].size())})
                .begin();
  for (const auto& row : rows) at = std::copy(row.begin(), row.end(), at);
}

Batch pairs(const Rows& source, const Rows& input) {
  Batch batch(static_cast<std::int64_t>(source.size()));
  add_ids(batch, "source", source);
  add_ids(batch, "input", input);
  return batch;
}

// D = 32, H = 2, one layer each: as the listing of the reference has them.
TEST(EncoderDecoder, OfTheReferenceHas30698Parameters) {
  Subject subject;
  subject.spec.fields = {{"source", 11, 10, 0}, {"input", 11, 10, 0}, {"target", 10, 10, 0}};
  Parameters parameters;
  make<Model>("{type: encoder_decoder, layers: 1, heads: 2, width: 32}",
              {subject.spec, 64, Scope(parameters)});
  // embedding, positions; encoder: attention, MLP, two norms; decoder: twice the attention, three
  // norms; last norm, output
  const std::int64_t attention = 4 * 32 * 32, mlp = 2 * 32 * 128 + 128 + 32, norm = 64;
  EXPECT_EQ(parameters.count(), 11 * 32 + 2 * 10 * 32 + attention + mlp + 2 * norm + 2 * attention +
                                    mlp + 3 * norm + norm + 32 * 10 + 10);
  EXPECT_EQ(parameters.count(), 30698);
}

TEST(EncoderDecoder, WithACacheGivesTheLogitsOfRecomputing) {
  for (const char* options : {"", ", positions: rotary, key_heads: 1, qk_norm: true",
                              ", positions: relative, block: post_norm, window: 2"}) {
    const Subject subject(options);
    const Rows source = {{1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 0, 0}};
    const Rows input = {{10, 1, 2, 3, 4}, {10, 9, 8, 7, 6}};
    const std::vector<std::uint8_t> marks = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
    Batch whole = pairs(source, input);
    std::copy(marks.begin(), marks.end(), whole.add_marks("source_mask", {2, kSource}).begin());
    const auto all = subject.logits(whole);
    KeyValueCache cache(2, kTarget);
    for (std::size_t n = 0; n < kTarget; ++n) {
      Batch next = pairs(source, {{input[0][n]}, {input[1][n]}});
      std::copy(marks.begin(), marks.end(), next.add_marks("source_mask", {2, kSource}).begin());
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
  const Subject subject;
  const auto alone = subject.logits(pairs({{3, 4, 5}}, {{10, 5}}));
  for (const std::int32_t pad : {0, 9}) {
    Batch batch = pairs({{1, 2, 3, 4, 5, 6}, {3, 4, 5, pad, pad, pad}},
                        {{10, 6, 5, 4, 3}, {10, 5, pad, pad, pad}});
    const std::vector<std::uint8_t> source = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    const std::vector<std::uint8_t> target = {1, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    std::copy(source.begin(), source.end(), batch.add_marks("source_mask", {2, kSource}).begin());
    std::copy(target.begin(), target.end(), batch.add_marks("mask", {2, kTarget}).begin());
    const auto together = subject.logits(batch);
    for (std::size_t i = 0; i < 2 * 10; ++i)
      EXPECT_NEAR(together[kTarget * 10 + i], alone[i], 1e-5);
  }
}

TEST(EncoderDecoder, DependsOnAllOfTheSourceAndNotOnWhatComesAfter) {
  const Subject subject;
  const auto before = subject.logits(pairs({{1, 2, 3, 4, 5, 6}}, {{10, 1, 2, 3, 4}}));
  const auto source = subject.logits(pairs({{1, 2, 3, 4, 5, 7}}, {{10, 1, 2, 3, 4}}));
  EXPECT_FALSE(std::equal(before.begin(), before.begin() + 10, source.begin()));
  const auto later = subject.logits(pairs({{1, 2, 3, 4, 5, 6}}, {{10, 1, 2, 9, 9}}));
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 3 * 10, later.begin()));
}

}  // namespace
}  // namespace assay
