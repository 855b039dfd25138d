#include <gtest/gtest.h>

#include "base/utf8.h"
#include "interfaces/tokenizer.h"
#include "plugins/bundled.h"
#include "support/golden.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;

std::unique_ptr<Tokenizer> trained_byte_bpe(std::string_view text, const std::string& options) {
  auto tokenizer = make<Tokenizer>("{type: byte_bpe, " + options + "}",
                                   {std::string(ASSAY_TESTS) + "/golden/gpt2_small"});
  tokenizer->train(text);
  return tokenizer;
}

Ids encode(const Tokenizer& tokenizer, std::string_view text) {
  return tokenizer.encode(text, "test");
}

TEST(ByteBpe, EncodesAnyBytesAsThemselvesWhereNothingWasMerged) {
  const auto tokenizer = trained_byte_bpe("", "merges: 10");
  const std::string bytes("\x61\xFF\x62\x0A\0", 5);
  EXPECT_EQ(encode(*tokenizer, bytes), (Ids{97, 255, 98, 10, 0}));
  EXPECT_EQ(tokenizer->decode(Ids{97, 255, 98, 10, 0}), bytes);
  EXPECT_EQ(encode(*tokenizer, ""), Ids{});
  EXPECT_EQ(tokenizer->vocabulary(), 256);
}

TEST(ByteBpe, StreamsWholeCharacters) {
  const auto tokenizer = trained_byte_bpe("", "merges: 0");
  Utf8Decoder decoder;
  Texts shown;
  for (const std::int32_t id : encode(*tokenizer, "\u00e9\U0001F642"))
    shown.push_back(decoder.add(tokenizer->decode({&id, 1})));
  EXPECT_EQ(shown, (Texts{"", "\u00e9", "", "", "", "\U0001F642"}));
}

TEST(ByteBpe, StopsEarlyOnShortTextsAndSaysSo) {
  for (const auto& [text, note] : std::vector<std::pair<std::string, std::string>>{
           {"", "0"}, {"H", "0"}, {"Hi", "1"}, {"Hi Hi", "3"}}) {
    const auto tokenizer = trained_byte_bpe(text, "vocabulary: 300, split: none");
    EXPECT_EQ(tokenizer->notes(),
              Texts{"learned " + note + " of 44 merges: the training text has no other pair"});
    EXPECT_EQ(tokenizer->vocabulary(), 256 + std::stoi(note));
    EXPECT_EQ(encode(*tokenizer, "H"), Ids{72});
  }
}

TEST(ByteBpe, RefusesASpecialTokenGivenTwice) {
  EXPECT_EQ(thrown([] { trained_byte_bpe("a", "special: [x, y, x]"); }),
            "[2] test.yaml:1:1: tokenizer: special: a token must not stand there twice");
}

TEST(ByteBpe, RefusesAVocabularyWithoutRoomForTheBytes) {
  EXPECT_EQ(thrown([] { trained_byte_bpe("a", "vocabulary: 100"); }),
            "[2] test.yaml:1:30: tokenizer.vocabulary: wanted an integer, at least 256; got 100");
  EXPECT_EQ(thrown([] { trained_byte_bpe("a", "vocabulary: 256, special: [x]"); }),
            "[2] test.yaml:1:1: tokenizer: vocabulary must have room for 256 bytes and the special "
            "tokens");
}

TEST(ByteBpe, BreaksTiesByTheLowestIdsWhateverTheOrderOfTheText) {
  for (const char* text : {"low\nlow\nwol\nwol", "wol\nwol\nlow\nlow"}) {
    const auto tokenizer = trained_byte_bpe(text, "merges: 4");
    Texts pieces;
    for (std::int32_t id = 256; id < 260; ++id) pieces.push_back(tokenizer->decode({&id, 1}));
    EXPECT_EQ(pieces, (Texts{"lo", "ol", "wol", "low"})) << text;
  }
}

TEST(ByteBpe, TextOfASpecialTokenIsTextUnlessTold) {
  const std::string text = "x<|endoftext|>y";
  const auto careful = trained_byte_bpe("", "special: [\"<|endoftext|>\"]");
  EXPECT_EQ(careful->vocabulary(), 257);
  const Ids ids = encode(*careful, text);
  EXPECT_EQ(ids.size(), 15U);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 256), 0);
  EXPECT_EQ(careful->decode(ids), text);
  const auto told = trained_byte_bpe("", "special: [\"<|endoftext|>\"], read_special: true");
  EXPECT_EQ(encode(*told, text), (Ids{120, 256, 121}));
  EXPECT_EQ(told->decode(Ids{120, 256, 121}), text);
}

TEST(ByteBpe, ReadsTheLongestSpecialToken) {
  const auto tokenizer =
      trained_byte_bpe("", "special: [\"<|a|>\", \"<|a|>b\"], read_special: true");
  EXPECT_EQ(tokenizer->vocabulary(), 258);
  EXPECT_EQ(encode(*tokenizer, "<|a|>b<|a|><|a|>c"), (Ids{257, 256, 256, 99}));
}

TEST(ByteBpe, LearnsNothingFromSpecialTokensThatItReads) {
  const std::string text = "<|e|><|e|><|e|>ab";
  EXPECT_EQ(
      trained_byte_bpe(text, "merges: 1, special: [<|e|>], read_special: true")->decode(Ids{256}),
      "ab");
  EXPECT_NE(trained_byte_bpe(text, "merges: 1, special: [<|e|>]")->decode(Ids{256}), "ab");
}

// The files and ids are from a plain Python program: encoder.py's bytes and pairs, tiktoken's
// ranks.
TEST(ByteBpe, ReadsPublishedVocabularies) {
  const auto gpt2 = trained_byte_bpe("", "vocabulary_file: vocab.json, merges_file: merges.txt");
  const auto ranked = trained_byte_bpe("", "rank_file: small.tiktoken");
  EXPECT_EQ(gpt2->vocabulary(), 317);
  EXPECT_EQ(ranked->vocabulary(), 316);
  const Golden golden("gpt2_small/encodings");
  for (const auto& sample : golden.json()) {
    const auto text = sample["text"].get<std::string>();
    EXPECT_EQ(encode(*gpt2, text), sample["ids"].get<Ids>()) << text;
    EXPECT_EQ(encode(*ranked, text), sample["ranked"].get<Ids>()) << text;
    EXPECT_EQ(gpt2->decode(encode(*gpt2, text)), text);
    EXPECT_EQ(ranked->decode(encode(*ranked, text)), text);
  }
}

TEST(ByteBpe, SpecialTokensOfAPublishedVocabularyKeepTheirIds) {
  const std::string special = ", special: [\"<|endoftext|>\", \"<|new|>\"], read_special: true";
  const auto gpt2 =
      trained_byte_bpe("", "vocabulary_file: vocab.json, merges_file: merges.txt" + special);
  EXPECT_EQ(encode(*gpt2, "<|endoftext|><|new|>"), (Ids{316, 317}));
  EXPECT_EQ(gpt2->vocabulary(), 318);
  const auto ranked = trained_byte_bpe("", "rank_file: small.tiktoken" + special);
  EXPECT_EQ(encode(*ranked, "<|new|><|endoftext|>"), (Ids{317, 316}));
}

TEST(ByteBpe, FilesBelongTogether) {
  EXPECT_EQ(thrown([] { trained_byte_bpe("", "vocabulary_file: vocab.json"); }),
            "[2] test.yaml:1:1: tokenizer: vocabulary_file and merges_file belong together: give "
            "both, or neither");
}

TEST(ByteBpe, RestoredEncodesTheSame) {
  State state;
  StateIo saving = StateIo::saving(state);
  const std::string options = "merges: 20, special: [<|e|>], read_special: true";
  const auto tokenizer = trained_byte_bpe("hear me speak, hear me", options);
  tokenizer->state(saving);
  const auto restored = make<Tokenizer>("{type: byte_bpe, " + options + "}", {});
  StateIo restoring = StateIo::restoring(state);
  restored->state(restoring);
  EXPECT_EQ(encode(*restored, "hear <|e|> speak"), encode(*tokenizer, "hear <|e|> speak"));
  EXPECT_EQ(restored->vocabulary(), tokenizer->vocabulary());
}

}  // namespace
}  // namespace assay
