#include <gtest/gtest.h>

#include "interfaces/tokenizer.h"
#include "plugins/bundled.h"
#include "support/thrown.h"

namespace assay {
namespace {

std::unique_ptr<Tokenizer> trained_char(const std::string& text, const std::string& options = "") {
  auto tokenizer = make<Tokenizer>("{type: char" + options + "}", {});
  tokenizer->train(text);
  return tokenizer;
}

using Ids = std::vector<std::int32_t>;

TEST(Char, NumbersCharactersInSortedOrder) {
  const auto tokenizer = trained_char("c\u20ACab\n\u00E9");
  EXPECT_EQ(tokenizer->vocabulary(), 6);
  EXPECT_EQ(tokenizer->encode("\nabc\u00E9\u20AC", "test"), (Ids{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(tokenizer->unknown(), -1);
}

TEST(Char, GivesBackWhatItEncoded) {
  const std::string text("\0a\u00E9\U0001F600\r\n", 11);
  const auto tokenizer = trained_char(text);
  EXPECT_EQ(tokenizer->decode(tokenizer->encode(text, "test")), text);
  EXPECT_EQ(tokenizer->encode("", "test"), Ids{});
}

TEST(Char, NamesACharacterThatTrainingDidNotShow) {
  const auto tokenizer = trained_char("abab\n");
  const std::string rest =
      " is not among the 3 characters of the training text; set `unknown: true` for tokenizer "
      "'char' to give such characters an id of their own, or train on text that has it";
  EXPECT_EQ(thrown([&] { tokenizer->encode("abc", "the prompt"); }),
            "[5] the prompt: U+0063 'c' at line 1, column 3 (character 2, counted from 0)" + rest);
  EXPECT_EQ(thrown([&] { tokenizer->encode("\U0001F600", "x"); }),
            "[5] x: U+1F600 '\U0001F600' at line 1, column 1 (character 0, counted from 0)" + rest);
}

TEST(Char, CountsPlacesFromTheStartOfTheFile) {
  const auto tokenizer = trained_char("abab\n");
  const std::string rest =
      " is not among the 3 characters of the training text; set `unknown: true` for tokenizer "
      "'char' to give such characters an id of their own, or train on text that has it";
  const std::string split = "play.txt: the validation split";
  EXPECT_EQ(thrown([&] {
              tokenizer->encode("a\u00E9", {split, "b\na\u00E9"});
            }),
            "[5] " + split + ": U+00E9 '\u00E9' at line 2, column 4 (character 5, counted from 0)" +
                rest);
  EXPECT_EQ(thrown([&] {
              tokenizer->encode("a\nb\u00E9", {split, "b\na\u00E9"});
            }),
            "[5] " + split + ": U+00E9 '\u00E9' at line 3, column 2 (character 7, counted from 0)" +
                rest);
  EXPECT_EQ(thrown([&] {
              tokenizer->encode("a\xFF", {split, "b\na"});
            }),
            "[5] " + split + ": byte 4 is not UTF-8, and tokenizer 'char' reads characters");
}

TEST(Char, GivesUnknownCharactersTheLastIdIfTold) {
  const auto tokenizer = trained_char("abab\n", ", unknown: true");
  EXPECT_EQ(tokenizer->vocabulary(), 4);
  EXPECT_EQ(tokenizer->unknown(), 3);
  EXPECT_EQ(tokenizer->encode("abc\u00E9", "test"), (Ids{1, 2, 3, 3}));
  EXPECT_EQ(tokenizer->decode(Ids{1, 3}), "a\uFFFD");
}

TEST(Char, RefusesBytesThatAreNotUtf8) {
  EXPECT_EQ(thrown([] { trained_char("a\xFF"); }),
            "[5] the training text: byte 1 is not UTF-8, and tokenizer 'char' reads characters");
  EXPECT_EQ(thrown([] { trained_char("ab")->encode("ab\xC3", "the prompt"); }),
            "[5] the prompt: byte 2 is not UTF-8, and tokenizer 'char' reads characters");
}

TEST(Char, RefusesAnIdOutsideItsVocabulary) {
  const auto tokenizer = trained_char("ab");
  EXPECT_EQ(thrown([&] { tokenizer->decode(Ids{2}); }), "[5] tokenizer 'char': no id 2 among 2");
  EXPECT_EQ(thrown([&] { tokenizer->decode(Ids{-1}); }), "[5] tokenizer 'char': no id -1 among 2");
}

TEST(Char, RestoredEncodesTheSame) {
  State state;
  StateIo saving = StateIo::saving(state);
  trained_char("b\u00E9a")->state(saving);
  const auto restored = make<Tokenizer>("{type: char}", {});
  StateIo restoring = StateIo::restoring(state);
  restored->state(restoring);
  EXPECT_EQ(restored->encode("ab\u00E9", "test"), (Ids{0, 1, 2}));
}

TEST(Char, RefusesADamagedState) {
  for (const std::vector<std::int64_t>& codes :
       std::vector<std::vector<std::int64_t>>{{98, 97}, {97, 97}, {-1}, {0xD800}, {0x110000}}) {
    State state;
    state["characters"] = {{static_cast<std::int64_t>(codes.size())}, codes};
    StateIo restoring = StateIo::restoring(state);
    const auto tokenizer = make<Tokenizer>("{type: char}", {});
    EXPECT_EQ(thrown([&] { tokenizer->state(restoring); }),
              "[5] tokenizer 'char': the saved characters are damaged");
  }
}

}  // namespace
}  // namespace assay
