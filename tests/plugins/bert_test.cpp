// REFERENCE S18: the encoder and the masked language model.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "autograd/ops.h"
#include "interfaces/objective.h"
#include "plugins/model_under_test.h"
#include "support/thrown.h"

namespace assay {
namespace {

Batch ids_of(std::int64_t rows, std::int64_t length, const std::vector<std::int32_t>& ids) {
  Batch batch(rows);
  std::copy(ids.begin(), ids.end(), batch.add_ids("input", {rows, length}).begin());
  return batch;
}

struct BertSubject : ModelUnderTest {
  explicit BertSubject(const std::string& yaml, DataSpec data = token_spec(11, 6))
      : ModelUnderTest(yaml, std::move(data), 6) {}
};

TEST(Bert, SeesWhatComesAfter) {
  const BertSubject bert("{type: bert, layers: 1, heads: 2, width: 8}");
  EXPECT_FALSE(bert.model->causal());
  const auto before = bert.logits(ids_of(1, 6, {1, 2, 3, 4, 5, 6}));
  const auto after = bert.logits(ids_of(1, 6, {1, 2, 3, 4, 5, 7}));
  EXPECT_FALSE(std::equal(before.begin(), before.begin() + 11, after.begin()));
}

TEST(Bert, AnswersOncePerRowFromTheClassToken) {
  DataSpec spec = token_spec(11, 6);
  spec.fields[1] = {"target", 3, 0, 0};
  const BertSubject bert("{type: bert, layers: 1, heads: 2, width: 8}", spec);
  EXPECT_EQ(bert.logits(ids_of(2, 6, {1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1})).size(), 2U * 3);
}

TEST(Bert, TiedGivesAnswersOnTheMaskAndTheClassTokenToo) {
  const BertSubject bert("{type: bert, layers: 1, heads: 2, width: 8, tied: true}");
  EXPECT_EQ(bert.logits(ids_of(1, 6, {1, 2, 3, 4, 5, 6})).size(), 6U * 13);
  EXPECT_FALSE(bert.parameters.find("head/weight"));
}

TEST(Bert, TellsSegmentsApart) {
  const BertSubject bert("{type: bert, layers: 1, heads: 2, width: 8, segments: 2}");
  Batch first = ids_of(1, 3, {1, 2, 3}), second = ids_of(1, 3, {1, 2, 3});
  first.add_ids("segment", {1, 3});
  const auto segment = second.add_ids("segment", {1, 3});
  std::fill(segment.begin() + 1, segment.end(), 1);
  EXPECT_EQ(bert.logits(first), bert.logits(ids_of(1, 3, {1, 2, 3})));
  EXPECT_NE(bert.logits(first), bert.logits(second));
}

// D35: what stands in padding, and how much of it there is, changes nothing.
TEST(Bert, GivesPaddedRowsWhatTheyHaveAlone) {
  for (const char* positions : {"learned", "sinusoidal", "rotary", "alibi", "relative", "none"})
    for (const bool per_row : {false, true}) {
      DataSpec spec = token_spec(11, 6);
      if (per_row) spec.fields[1] = {"target", 11, 0, 0};
      const BertSubject bert(
          std::string(
              "{type: bert, layers: 2, heads: 2, width: 16, embedding_norm: true, segments: "
              "2, head_transform: true, pooler: true, summary: ") +
              (positions == std::string("rotary") ? "class_token" : "mean") +
              ", positions: " + positions + "}",
          spec);
      const auto alone = bert.logits(ids_of(1, 2, {5, 6}));
      for (const bool left : {false, true}) {
        const std::int32_t pad = left ? 0 : 10;
        std::vector<std::int32_t> ids = {5, 6, 7, 8, 9, 3, 5, 6, pad, pad, pad, pad};
        std::vector<std::uint8_t> marks = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0};
        if (left) std::rotate(ids.begin() + 6, ids.begin() + 8, ids.end());
        if (left) std::rotate(marks.begin() + 6, marks.begin() + 8, marks.end());
        Batch batch = ids_of(2, 6, ids);
        add_marks(batch, "mask", {2, 6}, marks);
        const auto together = bert.logits(batch);
        const std::size_t first = per_row ? 11 : (left ? 10 : 6) * 11;
        for (std::size_t i = 0; i < alone.size(); ++i)
          EXPECT_NEAR(together[first + i], alone[i], 1e-5) << positions;
      }
    }
}

// The same with targets, as datasets of text have them.
Batch text_of(std::int64_t rows, std::int64_t length, const std::vector<std::int32_t>& ids) {
  Batch batch = ids_of(rows, length, ids);
  for (std::int32_t& target : batch.add_ids("target", {rows, length})) target = 0;
  return batch;
}

struct Masked {
  explicit Masked(const std::string& yaml = "{type: masked_token}")
      : spec(token_spec(65, 64)), objective(make<Objective>(yaml, {spec})) {}
  DataSpec spec;
  std::unique_ptr<Objective> objective;
};

std::vector<std::int32_t> some_ids(std::size_t count) {
  const Random random(3, "ids");
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < count; ++i)
    ids.push_back(static_cast<std::int32_t>(random.below(i, 65)));
  return ids;
}

// Tolerances: four standard deviations of a binomial.
TEST(MaskedToken, SelectsFifteenPercentAndMasksEightyOfThese) {
  const Masked m;
  const auto ids = some_ids(256 * 64);
  const Batch batch = m.objective->prepare(text_of(256, 64, ids), Random(4, "step"));
  const auto input = batch.ids("input").values, target = batch.ids("target").values;
  double selected = 0, masked = 0, same = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (target[i] < 0) {
      ASSERT_EQ(input[i], ids[i]);
      continue;
    }
    ASSERT_EQ(target[i], ids[i]);
    selected += 1;
    masked += input[i] == 65;
    same += input[i] == ids[i];
  }
  EXPECT_NEAR(selected / static_cast<double>(ids.size()), 0.15, 0.0112);
  EXPECT_NEAR(masked / selected, 0.8, 0.033);
  EXPECT_NEAR(same / selected, 0.1 + 0.1 / 65, 0.025);
}

TEST(MaskedToken, DependsOnTheStepAndNothingElse) {
  const Masked m;
  const auto ids = some_ids(4 * 64);
  const auto input_of = [&](std::uint64_t step) {
    const Batch batch = m.objective->prepare(text_of(4, 64, ids), Random(1, "step", step));
    const auto values = batch.ids("input").values;
    return std::vector<std::int32_t>(values.begin(), values.end());
  };
  EXPECT_EQ(input_of(1), input_of(1));
  EXPECT_NE(input_of(1), input_of(2));
}

// D29: padding is never chosen; a batch in which nothing is chosen weighs nothing.
TEST(MaskedToken, NeverSelectsPadding) {
  const Masked m("{type: masked_token, select: 1}");
  Batch batch = text_of(1, 4, {1, 2, 0, 0});
  const std::vector<std::uint8_t> marks = {1, 1, 0, 0};
  add_marks(batch, "mask", {1, 4}, marks);
  const Batch prepared = m.objective->prepare(batch, Random(1, "step"));
  const auto target = prepared.ids("target").values;
  EXPECT_EQ(std::vector<std::int32_t>(target.begin(), target.end()),
            (std::vector<std::int32_t>{1, 2, -1, -1}));
}

TEST(MaskedToken, NeverSelectsWhatTheDatasetIgnores) {
  const Masked m("{type: masked_token, select: 1}");
  Batch batch = ids_of(1, 3, {1, 2, 3});
  const std::vector<std::int32_t> wanted = {2, -1, 4};
  std::copy(wanted.begin(), wanted.end(), batch.add_ids("target", {1, 3}).begin());
  const Batch prepared = m.objective->prepare(batch, Random(1, "step"));
  const auto target = prepared.ids("target").values;
  EXPECT_EQ(std::vector<std::int32_t>(target.begin(), target.end()),
            (std::vector<std::int32_t>{1, -1, 3}));
}

TEST(MaskedToken, OfWhichNothingIsSelectedWeighsNothing) {
  const Masked m;
  const std::vector<float> logits(4 * 65);
  int empty = 0;
  for (std::uint64_t step = 0; step < 400; ++step) {
    const Batch batch = m.objective->prepare(text_of(1, 4, {5, 6, 7, 8}), Random(1, "step", step));
    const auto target = batch.ids("target").values;
    if (std::any_of(target.begin(), target.end(), [](std::int32_t t) { return t >= 0; })) continue;
    ++empty;
    Tape tape;
    const Parameters none;
    Pass pass(tape, none, {}, Mode::train, Random(1, "step"));
    const SummedLoss loss = m.objective->loss({tape.constant({1, 4, 65}, logits), {}}, batch, pass);
    EXPECT_EQ(loss.weight, 0);
    EXPECT_EQ(loss.sum.values()[0], 0);
  }
  EXPECT_NEAR(empty / 400.0, 0.522, 0.1);  // 0.85^4
}

TEST(MaskedToken, NeedsTargetsThatAreTokens) {
  DataSpec spec = token_spec(65, 64);
  spec.fields[1] = {"target", 2, 0, 0};
  EXPECT_EQ(thrown([&] { make<Objective>("{type: masked_token}", {spec}); }),
            "[2] test.yaml:1:1: objective 'masked_token' predicts tokens of the input, and this "
            "dataset has 2 classes for 65 ids; use a dataset of text\n"
            "  {type: masked_token}\n"
            "  ^");
}

}  // namespace
}  // namespace assay
