#include <gtest/gtest.h>

#include "interfaces/tokenizer.h"
#include "plugins/bundled.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;

std::unique_ptr<Tokenizer> trained_word(std::string_view text, const std::string& options = "") {
  auto tokenizer = make<Tokenizer>("{type: word" + options + "}", {});
  tokenizer->train(text);
  return tokenizer;
}

TEST(Word, NumbersWordsByFrequencyThenByFirstAppearance) {
  const auto tokenizer = trained_word("b a b c, b");
  EXPECT_EQ(tokenizer->decode(Ids{0}), " b");
  EXPECT_EQ(tokenizer->encode("b a b c, b", "test"), (Ids{1, 2, 0, 3, 4, 0}));
  EXPECT_EQ(tokenizer->vocabulary(), 6);
}

TEST(Word, GivesBackSpacesAndSigns) {
  const std::string text = "First Citizen:\n\nWe'll  hear \u00e0 12\u20ac.\n";
  const auto tokenizer = trained_word(text);
  EXPECT_EQ(tokenizer->decode(tokenizer->encode(text, "test")), text);
}

TEST(Word, ReadsWhatItDoesNotKnowAsOneToken) {
  const auto tokenizer = trained_word("to be or");
  EXPECT_EQ(tokenizer->unknown(), 3);
  EXPECT_EQ(tokenizer->encode("to die or", "test"), (Ids{0, 3, 2}));
  EXPECT_EQ(tokenizer->decode(Ids{0, 3, 2}), "to<unk> or");
}

TEST(Word, KeepsTheMostFrequentWords) {
  EXPECT_EQ(trained_word("a a a b b c", ", vocabulary: 3, spaces: drop")->encode("a b c", "test"),
            (Ids{0, 1, 2}));
  EXPECT_EQ(
      trained_word("a a a b b c", ", minimum_count: 2, spaces: drop")->encode("a b c", "test"),
      (Ids{0, 1, 2}));
}

TEST(Word, DropsSpacesAndCapitalsIfTold) {
  const auto tokenizer = trained_word("The king,\n the  King", ", spaces: drop, lowercase: true");
  EXPECT_EQ(tokenizer->vocabulary(), 4);
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("the KING , the", "test")), "the king , the");
}

TEST(Word, NamesAWordThatTrainingDidNotShow) {
  EXPECT_EQ(
      thrown([] {
        trained_word("to be", ", unknown: false")->encode("to die", {"play.txt: the end", "ab\n"});
      }),
      "[5] play.txt: the end: the word ' die' at character 5 (counted from 0) is not in the "
      "training text; set `unknown: true` for tokenizer 'word' to read such words as <unk>, "
      "or train on text that has it");
}

}  // namespace
}  // namespace assay
