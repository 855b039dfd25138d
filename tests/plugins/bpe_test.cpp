#include <gtest/gtest.h>

#include <cstdlib>

#include "data/bpe_training.h"
#include "data/chunks.h"
#include "data/corpora.h"
#include "data/text_file.h"
#include "interfaces/tokenizer.h"
#include "plugins/bundled.h"
#include "support/golden.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;

constexpr const char* kPlay =
    "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n\n"
    "First Citizen:\nYou are all resolved rather to die than to famish?\n\nAll:\nResolved. "
    "resolved.\n";

std::unique_ptr<Tokenizer> trained_bpe(std::string_view text, const std::string& options) {
  auto tokenizer = make<Tokenizer>("{type: bpe, " + options + "}", {});
  tokenizer->train(text);
  return tokenizer;
}

Texts pieces(const Tokenizer& tokenizer, std::string_view text) {
  Texts pieces;
  for (const std::int32_t id : tokenizer.encode(text, "test"))
    pieces.push_back(tokenizer.decode({&id, 1}));
  return pieces;
}

// Published: the merges of the first 100,000 characters, and what they make of the last 20,000.
class Shakespeare : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("ASSAY_DATA"))
      GTEST_SKIP() << "set ASSAY_DATA to a folder with tinyshakespeare.txt";
    text = read_text(find_corpus("tiny_shakespeare", {}));
    start = std::string_view(text).substr(0, 100'000);
  }
  std::string text;
  std::string_view start;
};

TEST_F(Shakespeare, MergesAreThePublishedOnesWithTheirCounts) {
  Texts alphabet;
  std::array<std::int32_t, 256> ids{};
  for (const char c : start)
    if (auto& id = ids[static_cast<unsigned char>(c)]; id == 0) {
      alphabet.emplace_back(1, c);
      id = static_cast<std::int32_t>(alphabet.size());
    }
  const auto symbols = [&](std::string_view chunk, Ids& into) {
    for (const char c : chunk) into.push_back(ids[static_cast<unsigned char>(c)] - 1);
  };
  const auto word = [](std::string_view rest) { return next_chunk(Chunks::words, rest); };
  const auto learned = learn_merges(alphabet, count_chunks(start, word), symbols, {200, 0, 1, {}});
  const Golden golden("bpe_merges_200");
  ASSERT_EQ(learned.merges.size(), golden.json().size());
  for (std::size_t i = 0; i < learned.merges.size(); ++i) {
    const auto piece = [&](std::int32_t id) {
      return learned.pieces[static_cast<std::size_t>(id)];
    };
    EXPECT_EQ(piece(learned.merges[i].left), golden.json()[i][0].get<std::string>()) << i;
    EXPECT_EQ(piece(learned.merges[i].right), golden.json()[i][1].get<std::string>()) << i;
    EXPECT_EQ(learned.counts[i], golden.json()[i][2].get<std::int64_t>()) << i;
  }
}

TEST_F(Shakespeare, TokensOfTheLastPartAreAsManyAsPublished) {
  const std::string_view end = std::string_view(text).substr(text.size() - 20'000);
  for (const auto& [merges, tokens] : std::vector<std::pair<int, std::size_t>>{
           {0, 20'000}, {50, 14'620}, {100, 12'760}, {200, 11'357}}) {
    const auto tokenizer = trained_bpe(start, "unknown: true, merges: " + std::to_string(merges));
    EXPECT_EQ(tokenizer->encode(end, "test").size(), tokens) << merges;
  }
}

// From a plain trainer in Python that counts everything again for each merge.
TEST(CharacterBpe, SplitsAsTheMergesOfItsTextSay) {
  const auto tokenizer = trained_bpe(kPlay, "merges: 30, unknown: true");
  EXPECT_EQ(pieces(*tokenizer, "First speaker: all resolved to speak."),
            (Texts{"First", " speak", "e", "r", ":", " a", "ll", " ", "re", "solved", " ", "t", "o",
                   " speak."}));
}

TEST(CharacterBpe, NumbersCharactersFirstThenMerges) {
  const auto tokenizer = trained_bpe("abab ab\u00e9", "merges: 2");
  EXPECT_EQ(tokenizer->vocabulary(), 6);
  EXPECT_EQ(tokenizer->encode(" ab\u00e9ab", "test"), (Ids{0, 4, 3, 4}));
  EXPECT_EQ(tokenizer->decode(Ids{4, 3}), "ab\u00e9");
}

TEST(CharacterBpe, NeverCrossesASpace) {
  const auto tokenizer = trained_bpe("a a a a a a a a", "merges: 50");
  EXPECT_EQ(pieces(*tokenizer, "a a  a "), (Texts{"a", " a", " ", " a", " "}));
  EXPECT_EQ(tokenizer->notes(),
            Texts{"learned 1 of 50 merges: the training text has no other pair"});
}

TEST(CharacterBpe, RefusesAVocabularyBelowItsAlphabet) {
  EXPECT_EQ(trained_bpe("abcabc", "vocabulary: 3")->vocabulary(), 3);
  EXPECT_EQ(
      thrown([] { trained_bpe("abcabc", "vocabulary: 2"); }),
      "[2] tokenizer 'bpe': vocabulary: wanted 2 tokens, but the training text has 3 different "
      "characters; raise vocabulary to 3 or more");
  EXPECT_EQ(
      thrown([] { trained_bpe("abcabc", "vocabulary: 3, unknown: true"); }),
      "[2] tokenizer 'bpe': vocabulary: wanted 3 tokens, but the training text has 3 different "
      "characters, with `unknown` one more; raise vocabulary to 4 or more");
}

TEST(CharacterBpe, LearnsAsManyTokensAsToldFor) {
  EXPECT_EQ(trained_bpe(kPlay, "vocabulary: 40")->vocabulary(), 40);
  EXPECT_EQ(trained_bpe(kPlay, "merges: 5, minimum_count: 4")->notes(),
            Texts{"learned 3 of 5 merges: no other pair is that frequent"});
}

TEST(CharacterBpe, NamesACharacterThatTrainingDidNotShow) {
  const auto tokenizer = trained_bpe("abab\n", "merges: 1");
  EXPECT_EQ(
      thrown([&] {
        tokenizer->encode("ab\nabc", {"play.txt: the validation split", "a\nb"});
      }),
      "[5] play.txt: the validation split: U+0063 'c' at line 3, column 3 (character 8, counted "
      "from 0) is not among the 3 characters of the training text; set `unknown: true` for "
      "tokenizer 'bpe' to give such characters an id of their own, or train on text that has "
      "it");
  const auto lenient = trained_bpe("abab\n", "merges: 1, unknown: true");
  EXPECT_EQ(lenient->unknown(), 3);
  EXPECT_EQ(lenient->encode("abc", "test"), (Ids{4, 3}));
  EXPECT_EQ(lenient->decode(Ids{4, 3}), "ab\uFFFD");
}

}  // namespace
}  // namespace assay
