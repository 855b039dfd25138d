// Encoder and decoder: what the datasets make, the model, and the exact matches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "autograd/tape.h"
#include "interfaces/dataset.h"
#include "interfaces/objective.h"
#include "plugins/bundled.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;

Ids row(const Batch& batch, const char* name, std::int64_t row) {
  const auto field = batch.ids(name);
  const auto part = field.values.subspan(static_cast<std::size_t>(row * field.shape[1]),
                                         static_cast<std::size_t>(field.shape[1]));
  return {part.begin(), part.end()};
}

Batch first_rows(const Dataset& dataset, Split split, std::int64_t count) {
  std::vector<Example> examples;
  for (std::int64_t i = 0; i < count; ++i) examples.push_back({i, 0});
  return dataset.batch(split, examples, {});
}

TEST(Reverse, WritesTheSourceBackwardsAfterABoundary) {
  const auto dataset = make<Dataset>("{type: reverse, length: 6}", {});
  const Batch batch = first_rows(*dataset, Split::train, 20);
  for (std::int64_t i = 0; i < 20; ++i) {
    Ids source = row(batch, "source", i), target = row(batch, "target", i);
    Ids input = row(batch, "input", i);
    EXPECT_EQ(input[0], 10);
    EXPECT_TRUE(std::equal(input.begin() + 1, input.end(), target.begin()));
    std::reverse(source.begin(), source.end());
    EXPECT_EQ(source, target);
  }
  EXPECT_FALSE(batch.has("mask"));
  EXPECT_EQ(dataset->spec({}).field("target").vocabulary, 10);
  EXPECT_EQ(dataset->spec({}).field("input").vocabulary, 11);
}

TEST(Sort, EndsTargetsOfVaryingLengthAndMarksPadding) {
  const auto dataset = make<Dataset>("{type: sort, length: 5, shortest: 2, symbols: 4}", {});
  const Batch batch = first_rows(*dataset, Split::train, 50);
  std::set<std::ptrdiff_t> lengths;
  for (std::int64_t i = 0; i < 50; ++i) {
    const auto source_mask =
        batch.marks("source_mask").values.subspan(static_cast<std::size_t>(i * 5), 5);
    const auto mask = batch.marks("mask").values.subspan(static_cast<std::size_t>(i * 6), 6);
    const auto length = std::count(source_mask.begin(), source_mask.end(), 1);
    lengths.insert(length);
    Ids source = row(batch, "source", i), wanted(source.begin(), source.begin() + length);
    std::sort(wanted.begin(), wanted.end());
    wanted.push_back(4);
    wanted.resize(6, -1);
    EXPECT_EQ(row(batch, "target", i), wanted);
    EXPECT_EQ(std::count(mask.begin(), mask.end(), 1), length + 1);
  }
  EXPECT_EQ(lengths, (std::set<std::ptrdiff_t>{2, 3, 4, 5}));
}

TEST(Addition, IsRight) {
  const auto number = [](const Ids& digits, std::size_t first, std::size_t count) {
    std::int64_t n = 0;
    for (std::size_t i = first; i < first + count; ++i) n = 10 * n + digits[i];
    return n;
  };
  const auto dataset = make<Dataset>("{type: addition, digits: 3}", {});
  const auto backwards = make<Dataset>("{type: addition, digits: 3, last_digit_first: true}", {});
  const Batch batch = first_rows(*dataset, Split::validation, 50);
  const Batch other = first_rows(*backwards, Split::validation, 50);
  for (std::int64_t i = 0; i < 50; ++i) {
    const Ids source = row(batch, "source", i), target = row(batch, "target", i);
    EXPECT_EQ(source[3], 10);
    EXPECT_EQ(number(source, 0, 3) + number(source, 4, 3), number(target, 0, 4));
    Ids reversed = row(other, "target", i);
    std::reverse(reversed.begin(), reversed.end());
    EXPECT_EQ(reversed, target);
  }
}

TEST(GeneratedPairs, NoSourceIsInBothSplits) {
  const auto dataset = make<Dataset>("{type: copy, length: 3, symbols: 5}", {});
  std::set<Ids> train;
  const Batch seen = first_rows(*dataset, Split::train, 500);
  const Batch kept = first_rows(*dataset, Split::validation, 500);
  for (std::int64_t i = 0; i < 500; ++i) train.insert(row(seen, "source", i));
  for (std::int64_t i = 0; i < 500; ++i) EXPECT_EQ(train.count(row(kept, "source", i)), 0U);
}

TEST(GeneratedPairs, SayWhatTheyCannotDo) {
  EXPECT_EQ(thrown([] {
              const auto dataset = make<Dataset>("{type: copy, length: 1, symbols: 2}", {});
              first_rows(*dataset, Split::train, 10);
              first_rows(*dataset, Split::validation, 10);
            }),
            "[2] dataset 'copy': too few different sequences to keep some for validation; make "
            "them longer");
  EXPECT_EQ(thrown([] { make<Dataset>("{type: copy, length: 3, shortest: 4}", {}); }),
            "[2] test.yaml:1:1: dataset: shortest must not be more than length");
}

struct PairsOfAFile : testing::Test {
  std::unique_ptr<Dataset> load(const std::string& text) {
    put(folder / "pairs.tsv", text);
    auto dataset =
        make<Dataset>("{type: pairs, file: pairs.tsv, validation: 0.4}", {folder.path()});
    dataset->load();
    return dataset;
  }
  TemporaryFolder folder;
};

TEST_F(PairsOfAFile, AreSourceTabTarget) {
  const auto dataset = load("ab\tb\r\n\nba\tab\na\t\nb\ta\nbb\taa\n");
  const auto tokenizer = make<Tokenizer>("{type: char}", {});
  EXPECT_EQ(dataset->text(Split::train), "ab\nb\nba\nab\na\n\n");
  tokenizer->train(*dataset->text(Split::train));  // newline, a, b: 0, 1, 2
  dataset->tokenize(tokenizer.get());
  EXPECT_EQ(dataset->examples(Split::train, {}), 3);
  EXPECT_EQ(dataset->examples(Split::validation, {}), 2);
  const Batch batch = first_rows(*dataset, Split::train, 3);
  EXPECT_EQ(row(batch, "source", 0), (Ids{1, 2}));
  EXPECT_EQ(row(batch, "input", 0), (Ids{3, 2, 0}));
  EXPECT_EQ(row(batch, "target", 0), (Ids{2, 3, -1}));
  EXPECT_EQ(row(batch, "target", 1), (Ids{1, 2, 3}));
  EXPECT_EQ(row(batch, "target", 2), (Ids{3, -1, -1}));
  EXPECT_EQ(row(first_rows(*dataset, Split::validation, 2), "source", 1), (Ids{2, 2}));
}

TEST_F(PairsOfAFile, NameTheLineThatIsNone) {
  EXPECT_EQ(thrown([&] { load("a\tb\nno tab\n"); }),
            "[5] " + (folder / "pairs.tsv").string() +
                ":2: wanted source, one tab, target; got 'no tab'");
  EXPECT_EQ(thrown([&] { load("a\tb\tc\n"); }),
            "[5] " + (folder / "pairs.tsv").string() +
                ":1: wanted source, one tab, target; got 'a\\tb\\tc'");
}

// Logits whose largest stands at the wanted class of each position.
TEST(Seq2Seq, CountsSequencesWithoutAMistake) {
  const DataSpec spec = {{{"source", 3, 2, 0}, {"input", 3, 2, 0}, {"target", 3, 2, 0}}};
  const auto objective = make<Objective>("{type: seq2seq}", {spec});
  Batch batch(3);
  const auto target = batch.add_ids("target", {3, 2});
  const Ids targets = {0, 1, 2, -1, 1, 1};
  std::copy(targets.begin(), targets.end(), target.begin());
  std::vector<float> logits(3 * 2 * 3, 0.0F);
  for (const auto& [position, best] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 0}, {1, 1}, {2, 2}, {3, 0}, {4, 1}, {5, 0}})
    logits[3 * position + best] = 1;
  Tape tape(false);
  const auto figures = objective->figures({tape.constant({3, 2, 3}, logits), {}}, batch);
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[0].name, "accuracy");
  EXPECT_EQ(figures[0].sum, 4);
  EXPECT_EQ(figures[0].weight, 5);
  EXPECT_EQ(figures[1].name, "exact");
  EXPECT_EQ(figures[1].sum, 2);
  EXPECT_EQ(figures[1].weight, 3);
}

TEST(Classify, CountsRowsWhoseClassIsTheMostLikely) {
  const DataSpec spec = {{{"input", 3, 2, 0}, {"target", 2, 0, 0}}};
  const auto objective = make<Objective>("{type: classify}", {spec});
  Batch batch(3);
  const auto target = batch.add_ids("target", {3});
  target[0] = 1, target[1] = 1, target[2] = -1;
  Tape tape(false);
  const std::vector<float> logits = {0, 1, 1, 0, 0, 1};
  const auto figures = objective->figures({tape.constant({3, 2}, logits), {}}, batch);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].sum, 1);
  EXPECT_EQ(figures[0].weight, 2);
}

// Comparisons with NaN are false, so that a search for the largest would stay at class 0.
TEST(Classify, CountsNoRowWithNanAsRight) {
  const float nan = std::nanf("");
  const DataSpec spec = {{{"source", 3, 1, 0}, {"input", 3, 1, 0}, {"target", 3, 1, 0}}};
  for (const char* type : {"classify", "seq2seq"}) {
    const auto objective = make<Objective>(std::string("{type: ") + type + "}", {spec});
    Batch batch(4);
    const auto target = batch.add_ids("target", {4, 1});
    const Ids targets = {0, 2, 0, 1};
    std::copy(targets.begin(), targets.end(), target.begin());
    Tape tape(false);
    const std::vector<float> logits = {nan, nan, nan, 0, nan, 1, 1, 0, nan, 0, 1, 0};
    for (const auto& figure : objective->figures({tape.constant({4, 1, 3}, logits), {}}, batch)) {
      EXPECT_EQ(figure.sum, 1) << figure.name;
      EXPECT_EQ(figure.weight, 4) << figure.name;
    }
  }
}

TEST(Classify, TakesTheLowestOfEqualClasses) {
  EXPECT_TRUE(is_most_likely(0, std::vector<float>{1, 1, 0}));
  EXPECT_FALSE(is_most_likely(1, std::vector<float>{1, 1, 0}));
  EXPECT_TRUE(is_most_likely(1, std::vector<float>{0, 1, 1}));
  EXPECT_FALSE(is_most_likely(3, std::vector<float>{0, 1, 1}));
}

// One model on sources and targets of several lengths, alone and with padding of any id.
TEST(Seq2SeqRnn, PaddingOfSourceAndTargetChangesNothing) {
  const DataSpec spec = {{{"source", 11, 6, 0}, {"input", 11, 6, 0}, {"target", 11, 6, 0}}};
  for (const char* cell : {"rnn", "lstm", "gru"}) {
    Parameters parameters;
    const auto model =
        make<Model>(std::string("{type: seq2seq_rnn, units: 6, layers: 2, cell: ") + cell + "}",
                    {spec, 6, Scope(parameters)});
    parameters.initialise(1);
    const auto logits = [&](const Ids& source, const Ids& input, std::size_t pads, std::int32_t pad,
                            bool left) {
      const auto padded = [&](const Ids& ids, std::span<std::int32_t> to,
                              std::span<std::uint8_t> mask) {
        std::fill(to.begin(), to.end(), pad);
        const auto first = static_cast<std::ptrdiff_t>(left ? pads : 0);
        std::copy(ids.begin(), ids.end(), to.begin() + first);
        std::fill_n(mask.begin() + first, ids.size(), 1);
      };
      const auto s = static_cast<std::int64_t>(source.size() + pads);
      const auto n = static_cast<std::int64_t>(input.size() + pads);
      Batch batch(1);
      const auto ids = batch.add_ids("source", {1, s}), in = batch.add_ids("input", {1, n});
      padded(source, ids, batch.add_marks("source_mask", {1, s}));
      padded(input, in, batch.add_marks("mask", {1, n}));
      Tape tape(false);
      Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, ""));
      const auto values = model->forward(batch, pass).logits.values();
      const auto real = values.subspan(left ? pads * 11 : 0, input.size() * 11);
      return std::vector<float>(real.begin(), real.end());
    };
    const auto alone = logits({5, 6}, {10, 1, 2}, 0, 0, false);
    for (const bool left : {false, true})
      for (const std::int32_t pad : {0, 9})
        EXPECT_EQ(logits({5, 6}, {10, 1, 2}, 4, pad, left), alone) << cell;
  }
}

}  // namespace
}  // namespace assay
