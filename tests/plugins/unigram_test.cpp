#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/random.h"
#include "interfaces/tokenizer.h"
#include "plugins/bundled.h"
#include "support/thrown.h"

namespace assay {
namespace {

std::unique_ptr<Tokenizer> trained_unigram(const std::string& text, const std::string& options) {
  auto tokenizer = make<Tokenizer>("{type: unigram, " + options + "}", {});
  tokenizer->train(text);
  return tokenizer;
}

State saved(Tokenizer& tokenizer) {
  State state;
  StateIo io = StateIo::saving(state);
  tokenizer.state(io);
  return state;
}

void restore_unigram(Tokenizer& tokenizer, const State& state) {
  StateIo io = StateIo::restoring(state);
  tokenizer.state(io);
}

std::map<std::string, double> scores(Tokenizer& tokenizer) {
  const State state = saved(tokenizer);
  const auto values = std::get<std::vector<double>>(state.at("scores").data);
  std::map<std::string, double> scores;
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(values.size()); ++id)
    scores[tokenizer.decode({&id, 1})] = values[static_cast<std::size_t>(id)];
  return scores;
}

// Words of a small language whose syllables come again and again.
std::string syllables(std::uint64_t words) {
  const Random draw(5, "words");
  std::string text;
  for (std::uint64_t word = 0; word < words; ++word) {
    text += word == 0 ? "" : " ";
    for (std::uint64_t i = 0; i < 1 + draw.below(8 * word, 3); ++i)
      text += std::vector<std::string>{"kana", "mor", "ti", "lus"}[draw.below(8 * word + i + 1, 4)];
  }
  return text;
}

// The best of all ways to cut text, by going through all.
double best_score(const std::map<std::string, double>& scores, const std::string& text) {
  if (text.empty()) return 0;
  double best = -1e300;
  for (std::size_t cut = 1; cut <= text.size(); ++cut)
    if (const auto found = scores.find(text.substr(0, cut)); found != scores.end())
      best = std::max(best, found->second + best_score(scores, text.substr(cut)));
  return best;
}

TEST(Unigram, EncodesTheMostProbableWay) {
  const auto tokenizer = trained_unigram(syllables(300), "vocabulary: 40");
  const auto known = scores(*tokenizer);
  for (const char* text : {"kanamor", " tilus", "morti", "lukanas", "kamolti"}) {
    const auto ids = tokenizer->encode(text, "the test");
    double total = 0;
    for (const std::int32_t& id : ids) total += known.at(tokenizer->decode({&id, 1}));
    EXPECT_NEAR(total, best_score(known, text), 1e-9) << text;
  }
}

TEST(Unigram, FindsTheSyllablesOfALanguageOfSyllables) {
  const auto tokenizer = trained_unigram(syllables(1000), "vocabulary: 24");
  const auto known = scores(*tokenizer);
  for (const char* syllable : {"kana", "mor", "ti", "lus"})
    EXPECT_EQ(known.count(syllable), 1U) << syllable;
  double total = 0;
  for (const auto& [text, score] : known) total += std::exp(score);
  EXPECT_NEAR(total, 1, 1e-9);
}

// Of "ab" ten times, with the pieces a, b and ab, all of the text becomes ab in the end; what is
// left for a and b is the least that keeps them possible.
TEST(Unigram, ExpectsWhatThePathsSay) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "ab\n";
  const auto known = scores(*trained_unigram(text, "vocabulary: 4, longest: 2"));
  EXPECT_GT(known.at("ab"), known.at("a"));
  EXPECT_EQ(known.at("a"), known.at("b"));
}

TEST(Unigram, KeepsAsManyPiecesAsToldForAndAllCharacters) {
  const std::string text = syllables(500);
  for (const std::int64_t vocabulary : {13, 20, 60}) {
    const auto tokenizer = trained_unigram(text, "vocabulary: " + std::to_string(vocabulary));
    EXPECT_EQ(tokenizer->vocabulary(), vocabulary);
    EXPECT_EQ(tokenizer->notes(), std::vector<std::string>{});
    const auto known = scores(*tokenizer);
    for (const char c : text) EXPECT_EQ(known.count(std::string(1, c)), 1U);
  }
}

TEST(Unigram, NeverCrossesASpace) {
  for (const auto& [text, score] : scores(*trained_unigram(syllables(500), "vocabulary: 100")))
    EXPECT_EQ(text.find(' ', 1), std::string::npos) << text;
}

TEST(Unigram, SaysWhereItLearnedFewerAndRefusesTooFew) {
  EXPECT_EQ(trained_unigram("Hi Hi", "vocabulary: 20")->notes(),
            (std::vector<std::string>{
                "learned 4 of 20 pieces: no others occur twice in the training text"}));
  EXPECT_EQ(thrown([] { trained_unigram("abc", "vocabulary: 3, unknown: true"); }),
            "[2] tokenizer 'unigram': vocabulary: wanted 3 tokens, but the training text has 3 "
            "different characters, with `unknown` one more; raise vocabulary to 4 or more");
}

TEST(Unigram, GivesUnknownCharactersAnIdIfTold) {
  const auto tokenizer = trained_unigram("abab ab", "vocabulary: 6, unknown: true");
  const auto ids = tokenizer->encode("axb", "the test");
  EXPECT_EQ(tokenizer->decode(ids), "a\uFFFDb");
  EXPECT_EQ(std::count(ids.begin(), ids.end(), tokenizer->unknown()), 1);
  EXPECT_EQ(thrown([] { trained_unigram("abab ab", "vocabulary: 6")->encode("axb", "the test"); }),
            "[5] the test: U+0078 'x' at line 1, column 2 (character 1, counted from 0) is not "
            "among the 3 characters of the training text; set `unknown: true` for tokenizer "
            "'unigram' to give such characters an id of their own, or train on text that has it");
}

TEST(Unigram, EncodesARunOfEqualCharacters) {
  const auto tokenizer =
      trained_unigram(std::string(40, 'z') + "a zz", "vocabulary: 6, longest: 4");
  const std::string run(100003, 'z');
  const auto ids = tokenizer->encode(run, "the test");
  EXPECT_EQ(tokenizer->decode(ids), run);
  EXPECT_LT(ids.size(), run.size() / 2);
}

TEST(Unigram, RestoredEncodesTheSameAndRefusesDamage) {
  const auto tokenizer = trained_unigram(syllables(300), "vocabulary: 40");
  const State state = saved(*tokenizer);
  const auto other = make<Tokenizer>("{type: unigram}", {});
  restore_unigram(*other, state);
  EXPECT_EQ(other->encode("kanamortilus mor", "the test"),
            tokenizer->encode("kanamortilus mor", "the test"));
  State damaged = state;
  std::get<std::vector<double>>(damaged.at("scores").data)[0] = 0.5;
  EXPECT_EQ(thrown([&] { restore_unigram(*other, damaged); }),
            "[5] tokenizer 'unigram': the saved pieces are damaged");
}

}  // namespace
}  // namespace assay
