#include "data/windowed_text.h"

#include <gtest/gtest.h>

#include "data/letters.h"
#include "support/thrown.h"

namespace assay {
namespace {

TEST(TrainingShare, IsExact) {
  EXPECT_EQ(training_share(1'115'394, 0.1), 1'003'854);
  EXPECT_EQ(training_share(10, 0.8), 2);  // (1 - 0.8) * 10 is 1.9999999999999996 in binary
  EXPECT_EQ(training_share(10, 0.7), 3);
  EXPECT_EQ(training_share(1'000'000, 0.9), 100'000);
  EXPECT_EQ(training_share(20, 0.1), 18);
  EXPECT_EQ(training_share(3, 0.5), 1);
}

TEST(TrainingShare, OfTheBordersIsAllOrAlmostAll) {
  EXPECT_EQ(training_share(7, 0), 7);
  EXPECT_EQ(training_share(0, 0.5), 0);
  EXPECT_EQ(training_share(1000, 1e-300), 1000);
  EXPECT_EQ(training_share(1000, 1e-5), 999);
  EXPECT_EQ(training_share(1000, 0.9999999999999999), 0);
}

TEST(WindowedText, IsCutBetweenCharacters) {
  const WindowedText text("a\u00E9\u20ACbc\u00E9d\u20ACef", "play.txt", 0.7);  // 10 characters
  EXPECT_EQ(text.text(Split::train), "a\u00E9\u20AC");
  EXPECT_EQ(text.text(Split::validation), "bc\u00E9d\u20ACef");
}

TEST(WindowedText, ReportsASplitThatIsTooSmall) {
  WindowedText text("abcdefghijklmnopqrst", "play.txt", 0.1);
  const Letters letters;
  text.tokenize(&letters);
  EXPECT_EQ(text.examples(Split::train, {8, 0}), 10);
  EXPECT_EQ(thrown([&] {
              text.examples(Split::validation, {8, 0});
            }),
            "[5] play.txt: the validation split has 2 tokens, but a window of context 8 and its "
            "last target take 9; "
            "use more text, a smaller context, or another share for validation");
}

TEST(WindowedText, DescribesItsBatches) {
  WindowedText text("abcdefghij", "play.txt", 0.1);
  const Letters letters;
  text.tokenize(&letters);
  const DataSpec plain = text.spec({4, 0}), counting = text.spec({4, 2});
  EXPECT_EQ(plain.field("target").vocabulary, 27);
  EXPECT_EQ(plain.field("input").length, 4);
  EXPECT_EQ(plain.find("history"), nullptr);
  EXPECT_EQ(counting.field("history").length, 2);
}

TEST(WindowedText, WithoutTokenizerSaysWhatToAdd) {
  WindowedText text("abc", "play.txt", 0);
  EXPECT_EQ(
      thrown([&] { text.tokenize(nullptr); }),
      "[2] play.txt: text needs a tokenizer: add `tokenizer: {type: char}` to the experiment");
}

TEST(WindowedText, RecordsSizesAndUnknowns) {
  WindowedText text("abca\u00E9bcdE", "play.txt", 0.5);
  const Letters letters;
  text.tokenize(&letters);
  using Facts = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(text.facts(), (Facts{{"characters", "9"},
                                 {"distinct characters", "6"},
                                 {"training characters", "4"},
                                 {"validation characters", "5"},
                                 {"vocabulary", "27"},
                                 {"training tokens", "4"},
                                 {"validation tokens", "6"},
                                 {"unknown training tokens", "0"},
                                 {"unknown validation tokens", "3"}}));
  EXPECT_EQ(text.notes(), std::vector<std::string>{"play.txt: the validation split: 3 of 6 tokens "
                                                   "are unknown to the tokenizer"});
}

}  // namespace
}  // namespace assay
