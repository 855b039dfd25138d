#include <gtest/gtest.h>

#include "interfaces/dataset.h"
#include "io/sha256.h"
#include "plugins/bundled.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

class TextDataset : public testing::Test {
 protected:
  std::unique_ptr<Dataset> loaded(const std::string& options) {
    auto dataset = make<Dataset>("{type: text, " + options + "}", {folder.path()});
    dataset->load();
    return dataset;
  }
  // With a tokenizer that learnt from the training split, as a run does it.
  std::unique_ptr<Dataset> tokenized(const std::string& options) {
    auto dataset = loaded(options);
    const auto tokenizer = make<Tokenizer>("{type: char}", {});
    tokenizer->train(*dataset->text(Split::train));
    dataset->tokenize(tokenizer.get());
    return dataset;
  }
  std::string fact(const Dataset& dataset, const std::string& name) {
    for (const auto& [key, value] : dataset.facts())
      if (key == name) return value;
    return "absent";
  }

  TemporaryFolder folder;
  const std::string file = (folder / "play.txt").string();
};

TEST_F(TextDataset, HasTheSameVocabularyWhateverTheLineEndings) {
  put(file,
      "\xEF\xBB\xBF"
      "a\r\nb\r\n");
  EXPECT_EQ(fact(*tokenized("source: play.txt, validation: 0"), "vocabulary"), "3");
  EXPECT_EQ(fact(*tokenized("source: play.txt, validation: 0, newlines: keep"), "vocabulary"), "4");
  put(file, "a\rb\r");
  EXPECT_EQ(loaded("source: play.txt, validation: 0")->text(Split::train), "a\nb\n");
}

TEST_F(TextDataset, ReportsAnUnseenCharacterOfTheValidationSplit) {
  put(file, "ababababab\u00E9a");
  EXPECT_TRUE(thrown([&] { tokenized("source: play.txt, validation: 0.25"); })
                  .starts_with("[5] " + file +
                               ": the validation split: U+00E9 '\u00E9' at line 1, column 11 "
                               "(character 10, counted from 0) is not among the 2 "));
}

TEST_F(TextDataset, NeedsMoreTokensThanTheContext) {
  for (const std::size_t tokens : {1u, 8u, 9u, 10u}) {
    put(file, std::string("abcdefghij").substr(0, tokens));
    const auto dataset = tokenized("source: play.txt, validation: 0");
    const auto examples = [&] { return dataset->examples(Split::train, {8, 0}); };
    if (tokens > 8)
      EXPECT_EQ(examples(), static_cast<std::int64_t>(tokens) - 8);
    else
      EXPECT_TRUE(thrown(examples).starts_with("[5] " + file + ": the training split has " +
                                               std::to_string(tokens)));
  }
}

TEST_F(TextDataset, RecordsWhatItReplaced) {
  put(file,
      "a\xFF"
      "b\n");
  const auto dataset = tokenized("source: play.txt, validation: 0, invalid: replace");
  EXPECT_EQ(dataset->text(Split::train), "a\uFFFDb\n");
  EXPECT_EQ(fact(*dataset, "bytes replaced by U+FFFD"), "1");
  EXPECT_TRUE(thrown([&] {
                loaded("source: play.txt");
              }).starts_with("[5] " + file + ": byte 1 (0xFF) is not UTF-8"));
}

TEST_F(TextDataset, IsIdentifiedByTheBytesOfItsFile) {
  put(file, "a\r\nb");
  EXPECT_EQ(loaded("source: play.txt")->digest(), sha256_hex("a\r\nb"));
}

TEST_F(TextDataset, RefusesAShareForValidationOfOneOrMore) {
  EXPECT_TRUE(thrown([&] { loaded("source: play.txt, validation: 1"); }).starts_with("[2] "));
  EXPECT_TRUE(thrown([&] { loaded("source: play.txt, validation: -0.1"); }).starts_with("[2] "));
}

}  // namespace
}  // namespace assay
