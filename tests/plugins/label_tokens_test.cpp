// Labels of tokens: files of CoNLL, made-up sentences, and the figures that tell how good they are.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "autograd/tape.h"
#include "interfaces/dataset.h"
#include "interfaces/objective.h"
#include "plugins/model_under_test.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr const char* kFile =
    "-DOCSTART- -X- O\n\nEU NNP I-ORG\nbeats VBZ O\nBonn NNP I-LOC\n# EU beats Bonn today\n\nAnn "
    "NNP I-PER\n"
    "Lee NNP I-PER\n\nMay NNP I-PER\nJo NNP B-PER\n";

struct ConllTest : testing::Test {
  std::unique_ptr<Dataset> load(const std::string& text, const std::string& options = "") {
    put(folder / "a.conll", text);
    auto dataset = make<Dataset>("{type: conll, source: a.conll" + options + "}", {folder.path()});
    dataset->load();
    return dataset;
  }
  static void tokenize(Dataset& dataset, const std::string& tokenizer) {
    const auto made = make<Tokenizer>(tokenizer, {});
    made->train(*dataset.text(Split::train));
    dataset.tokenize(made.get());
  }
  static Ids targets(const Dataset& dataset, std::int64_t index) {
    const Example one{index, 0};
    const Batch batch = dataset.batch(Split::train, {&one, 1}, Request{100, 0});
    const auto values = batch.ids("target").values;
    return {values.begin(), values.end()};
  }
  static std::string tags(const Dataset& dataset) { return dataset.facts()[0].second; }
  std::string refusal(const std::string& text, const std::string& options = "") {
    return thrown([&] { load(text, options); });
  }
  TemporaryFolder folder;
};

TEST_F(ConllTest, GivesEachWordItsTag) {
  const auto dataset = load(kFile, ", validation: 0");
  tokenize(*dataset, "{type: word}");
  EXPECT_EQ(*dataset->text(Split::train), "EU beats Bonn\nAnn Lee\nMay Jo\n");
  EXPECT_EQ(tags(*dataset), "O, B-PER, I-LOC, I-ORG and I-PER");
  EXPECT_EQ(targets(*dataset, 0), (Ids{3, 0, 2}));
  EXPECT_EQ(targets(*dataset, 1), (Ids{4, 4, -1}));
}

// The first token of a word that is no space has the tag, the others none.
TEST_F(ConllTest, TagsOneTokenOfEachWord) {
  const auto dataset = load("a b X\ncd e Y\n", ", validation: 0");
  tokenize(*dataset, "{type: char}");
  EXPECT_EQ(*dataset->text(Split::train), "a cd\n");
  EXPECT_EQ(targets(*dataset, 0), (Ids{0, -1, 1, -1}));
}

TEST_F(ConllTest, RewritesTheEncoding) {
  const auto iob2 = load(kFile, ", validation: 0, scheme: iob2");
  EXPECT_EQ(tags(*iob2), "O, B-LOC, B-ORG, B-PER and I-PER");
  EXPECT_EQ(tags(*load(kFile, ", validation: 0, scheme: iobes")),
            "O, B-PER, E-PER, S-LOC, S-ORG and S-PER");
}

TEST_F(ConllTest, KeepsTheLastSentencesOrAnotherFileForValidation) {
  EXPECT_EQ(*load(kFile, ", validation: 0.4")->text(Split::validation), "Ann Lee\nMay Jo\n");
  put(folder / "b.conll", "Ann I-PER\n");
  EXPECT_EQ(*load(kFile, ", validation_source: b.conll")->text(Split::validation), "Ann\n");
}

TEST_F(ConllTest, SaysWhatIsWrongWithAFile) {
  const std::string file = (folder / "a.conll").string();
  EXPECT_EQ(refusal("\n\n"), "[5] " + file + ": no sentence in it");
  EXPECT_EQ(refusal("a b c\nd e\n"),
            "[5] " + file + ":2: wanted 3 columns, as the first line has, got 2");
  EXPECT_EQ(refusal("one\ntwo\n"), "[5] " + file +
                                       ":1: wanted words in column 1 and tags in column 1, but "
                                       "there is 1 column; say which with `word` and `tag`");
  EXPECT_EQ(refusal("a b\n", ", tag: 4"),
            "[5] " + file +
                ":1: wanted words in column 1 and tags in column 4, but there are 2 columns; say "
                "which with `word` and `tag`");
  EXPECT_EQ(thrown([&] { load(kFile)->tokenize(nullptr); }),
            "[2] " + file +
                ": sentences need a tokenizer: add `tokenizer: {type: word}` to the experiment");
}

// Figures of labels that a model gives with certainty.
std::map<std::string, double> figures(const std::vector<std::string>& names,
                                      const std::vector<Ids>& truth,
                                      const std::vector<Ids>& guess) {
  const auto length = static_cast<std::int64_t>(truth[0].size());
  const auto classes = static_cast<std::int64_t>(names.size());
  const DataSpec spec = {{{"input", 5, length, 0}, {"target", classes, length, 0, {}, names}}};
  const auto objective = make<Objective>("{type: label_tokens}", {spec});
  const Batch batch = ids_batch(truth, "target");
  std::vector<float> logits;
  for (const Ids& row : guess)
    for (const std::int32_t id : row)
      for (std::int32_t k = 0; k < classes; ++k) logits.push_back(k == id ? 1.0F : 0.0F);
  Tape tape(false);
  const Output output = {
      tape.constant({static_cast<std::int64_t>(guess.size()), length, classes}, logits), {}};
  std::map<std::string, double> found;
  for (const auto& figure : objective->figures(output, batch))
    found[figure.name] = figure.sum / figure.weight;
  return found;
}

const std::vector<std::string> kNames = {"O", "B-MISC", "B-PER", "I-MISC", "I-PER"};

// The example of seqeval's documentation: accuracy 0.8, F1 0.5.
TEST(LabelTokens, HasTheFiguresOfSeqeval) {
  const auto found = figures(kNames, {{0, 0, 0, 1, 3, 3, 0}, {2, 4, 0, -1, -1, -1, -1}},
                             {{0, 0, 1, 3, 3, 3, 0}, {2, 4, 0, 1, 1, 1, 1}});
  EXPECT_DOUBLE_EQ(found.at("accuracy"), 0.8);
  EXPECT_DOUBLE_EQ(found.at("f1"), 0.5);
  EXPECT_DOUBLE_EQ(found.at("precision"), 0.5);
  EXPECT_DOUBLE_EQ(found.at("recall"), 0.5);
}

TEST(LabelTokens, HasNoF1OfLabelsThatMarkNoEntities) {
  EXPECT_EQ(figures({"DET", "NOUN"}, {{0, 1}}, {{0, 0}}),
            (std::map<std::string, double>{{"accuracy", 0.5}}));
}

TEST(LabelTokens, RefusesOneAnswerPerRow) {
  const DataSpec spec = {{{"input", 5, 3, 0}, {"target", 2, 0, 0}}};
  EXPECT_EQ(thrown([&] { make<Objective>("{type: label_tokens}", {spec}); }),
            "[2] test.yaml:1:1: objective 'label_tokens' needs a label for each token, and this "
            "dataset has one answer per row; use objective: {type: classify}\n"
            "  {type: label_tokens}\n"
            "  ^");
}

TEST(LabelSmoothing, IsOfTrainingAlone) {
  const DataSpec spec = token_spec(3, 2);
  const Batch batch = ids_batch({{1, 2}}, "target");
  const std::vector<float> logits = {0, 2, 1, 1, 0, 3};
  const Parameters none;
  for (const char* objective : {"next_token", "masked_token", "classify", "label_tokens"}) {
    const auto loss = [&](const std::string& options, Mode mode) {
      Tape tape;
      Pass pass(tape, none, {}, mode, Random(1, "step"));
      const Output output = {tape.constant({1, 2, 3}, logits), {}};
      return make<Objective>(std::string("{type: ") + objective + options + "}", {spec})
          ->loss(output, batch, pass)
          .sum.values()[0];
    };
    const float plain = loss("", Mode::train);
    EXPECT_EQ(loss(", label_smoothing: 0.3", Mode::evaluate), plain) << objective;
    // Targets' logits are 2 and 3; the means of the rows 1 and 4/3.
    EXPECT_NEAR(loss(", label_smoothing: 0.3", Mode::train), plain + 0.3F * (2 - 1 + 3 - 4.0F / 3),
                1e-6)
        << objective;
  }
}

struct SentencesTest : testing::Test {
  static std::unique_ptr<Dataset> load(const std::string& options) {
    auto dataset = make<Dataset>("{type: sentences" + options + "}", {});
    dataset->load();
    const auto tokenizer = make<Tokenizer>("{type: word}", {});
    tokenizer->train(*dataset->text(Split::train));
    dataset->tokenize(tokenizer.get());
    return dataset;
  }
};

TEST_F(SentencesTest, ShareTheirTextBetweenTasks) {
  const auto text = load(", task: text"), tags = load(", task: tags"),
             actor = load(", task: actor");
  EXPECT_EQ(*text->text(Split::train), *tags->text(Split::train));
  EXPECT_EQ(*text->text(Split::train), *actor->text(Split::train));
  EXPECT_EQ(text->digest(), tags->digest());
  EXPECT_NE(text->digest(), load(", seed: 2")->digest());
}

TEST_F(SentencesTest, SayWhoActs) {
  const auto actor = load(", task: actor, labelled: 200"),
             tags = load(", task: tags, labelled: 200");
  const Request request{32, 0};
  std::vector<std::int64_t> seen(3);
  for (std::int64_t i = 0; i < 200; ++i) {
    const Example one{i, 0};
    const Batch row = tags->batch(Split::train, {&one, 1}, request);
    const auto names = tags->spec(request).field("target").names;
    std::string first;
    for (const std::int32_t id : row.ids("target").values)
      if (first.empty() && id > 0) first = names[static_cast<std::size_t>(id)];
    const Batch acting = actor->batch(Split::train, {&one, 1}, request);
    const std::int32_t kind = acting.ids("target").values[0];
    EXPECT_EQ(first, (std::vector<std::string>{"B-ORG", "B-LOC",
                                               "B-PER"})[static_cast<std::size_t>(kind)]);
    ++seen[static_cast<std::size_t>(kind)];
  }
  for (const std::int64_t count : seen) EXPECT_GT(count, 20);
}

}  // namespace
}  // namespace assay
