#include "data/chunks.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "support/golden.h"

namespace assay {
namespace {

std::vector<std::string> cut(Chunks rule, std::string_view text) {
  std::vector<std::string> chunks;
  while (!text.empty()) {
    chunks.emplace_back(text.substr(0, next_chunk(rule, text)));
    text.remove_prefix(chunks.back().size());
  }
  return chunks;
}

using Texts = std::vector<std::string>;

TEST(Chunks, OfWordsTakeOneSpaceWithThem) {
  EXPECT_EQ(cut(Chunks::words, "a  b\n\nc d "), (Texts{"a", " ", " b", "\n", "\nc", " d", " "}));
  EXPECT_EQ(cut(Chunks::words, "\u00e9\u00a0\u20ac"), (Texts{"\u00e9", "\u00a0\u20ac"}));
}

TEST(Chunks, OfGpt2LookAheadOfSpaces) {
  EXPECT_EQ(cut(Chunks::gpt2, "a  b"), (Texts{"a", " ", " b"}));
  EXPECT_EQ(cut(Chunks::gpt2, "a   b "), (Texts{"a", "  ", " b", " "}));
  EXPECT_EQ(cut(Chunks::gpt2, "x\n\n  y"), (Texts{"x", "\n\n ", " y"}));
  EXPECT_EQ(cut(Chunks::gpt2, "hi\r\nyo"), (Texts{"hi", "\r", "\n", "yo"}));
  EXPECT_EQ(cut(Chunks::gpt2, "I'll go"), (Texts{"I", "'ll", " go"}));
}

TEST(Chunks, OfGpt2TellLettersNumbersAndOthersApart) {
  EXPECT_EQ(cut(Chunks::gpt2, "na\u00efve 12\u00bd \u4e07\u4e07!? \U0001F3AD"),
            (Texts{"na\u00efve", " 12\u00bd", " \u4e07\u4e07", "!?", " \U0001F3AD"}));
  EXPECT_EQ(cut(Chunks::gpt2, "a\xFF\xFE\u00e9"), (Texts{"a", "\xFF\xFE", "\u00e9"}));
}

// From Python's regex module with the patterns of chunks.h.
TEST(Chunks, AreThoseOfThePublishedPatterns) {
  const Golden golden("chunks");
  for (const auto& sample : golden.json()) {
    const auto text = sample["text"].get<std::string>();
    EXPECT_EQ(cut(Chunks::gpt2, text), sample["gpt2"].get<Texts>()) << text;
    EXPECT_EQ(cut(Chunks::gpt4, text), sample["gpt4"].get<Texts>()) << text;
  }
}

TEST(Chunks, OfNoneAreTheText) {
  EXPECT_EQ(cut(Chunks::none, "a b"), (Texts{"a b"}));
}

TEST(Chunks, PutTogetherAreTheText) {
  const Texts parts = {"a",  "B",      "7",      " ",      "  ",         "\n",   "\r\n",
                       "'",  "'s",     "'LL",    "!",      "\u00e9",     "\xFF", "\xE2\x82",
                       "\t", "\u00a0", "\u4e07", "\u0661", "\U0001F3AD", "\0"};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Random random(seed, "chunks");
    std::string text;
    for (std::uint64_t i = 0; i < 12; ++i)
      text +=
          parts[static_cast<std::size_t>(random.uniform(i) * static_cast<double>(parts.size()))];
    for (const Chunks rule : {Chunks::none, Chunks::words, Chunks::gpt2, Chunks::gpt4}) {
      std::string together;
      for (const auto& chunk : cut(rule, text)) together += chunk;
      ASSERT_EQ(together, text);
    }
  }
}

// A scanner that recursed, or looked at a run again for each chunk, would not come through these.
TEST(Chunks, OfARunOfAMillionAreOneButForNumbersOfGpt4) {
  constexpr std::size_t kMillion = 1'000'000;
  for (const Chunks rule : {Chunks::gpt2, Chunks::gpt4})
    for (const char c : {' ', '\n', 'z', '7', '!'}) {
      const std::string run(kMillion, c);
      const std::vector<std::string> chunks = cut(rule, run);
      const std::size_t longest = rule == Chunks::gpt4 && c == '7' ? 3 : kMillion;
      ASSERT_EQ(chunks.size(), (kMillion + longest - 1) / longest) << c;
      EXPECT_EQ(chunks.front(), run.substr(0, longest)) << c;
      EXPECT_EQ(chunks.back().size(), kMillion - (chunks.size() - 1) * longest) << c;
    }
}

TEST(Chunks, OfAMillionSpacesBeforeAWordLeaveItTheLast) {
  const std::string spaces(1'000'000, ' ');
  for (const Chunks rule : {Chunks::gpt2, Chunks::gpt4})
    EXPECT_EQ(cut(rule, spaces + " a"), (std::vector<std::string>{spaces, " a"}));
}

}  // namespace
}  // namespace assay
