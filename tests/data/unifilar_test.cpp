#include "data/unifilar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "support/thrown.h"

namespace assay {
namespace {

// No two zeros in a row; otherwise a fair coin. Order 1: one character tells the state.
UnifilarSource golden_mean() {
  return UnifilarSource({{{'1', 0, 1}, {'0', 1, 1}}, {{'1', 0, 1}}});
}

// Ones come in even numbers (Weiss, 1973); however many of them one sees, one may not know whether
// they are even.
UnifilarSource even_process() {
  return UnifilarSource({{{'0', 0, 1}, {'1', 1, 1}}, {{'1', 0, 1}}});
}

// Three states that differ little, and unequal weights: nothing cancels.
UnifilarSource crooked() {
  return UnifilarSource({{{'a', 1, 3}, {'b', 0, 2}, {'c', 2, 1}},
                         {{'a', 0, 1}, {'b', 2, 5}},
                         {{'a', 2, 2}, {'b', 1, 1}, {'c', 0, 4}}});
}

// H(X_1 ... X_length) by writing down every text: the slow way, for comparison.
double block_entropy(const UnifilarSource& source, std::int64_t length) {
  std::map<std::string, std::map<std::int32_t, double>> texts;
  const std::vector<double> start = source.stationary();
  for (std::size_t state = 0; state < start.size(); ++state)
    texts[""][static_cast<std::int32_t>(state)] = start[state];
  for (std::int64_t i = 0; i < length; ++i) {
    std::map<std::string, std::map<std::int32_t, double>> longer;
    for (const auto& [text, states] : texts)
      for (const auto& [state, p] : states)
        for (const Transition& t : source.from(state))
          longer[text + t.symbol][t.next] +=
              p * static_cast<double>(t.weight) / static_cast<double>(source.total_weight(state));
    texts = std::move(longer);
  }
  double entropy = 0;
  for (const auto& [text, states] : texts) {
    double p = 0;
    for (const auto& [state, part] : states) p += part;
    entropy -= p * std::log(p);
  }
  return entropy;
}

TEST(UnifilarSource, HasTheEntropyRateOfTheBooks) {
  EXPECT_NEAR(golden_mean().entropy_rate(), 2.0 / 3 * std::log(2.0), 1e-14);
  EXPECT_NEAR(even_process().entropy_rate(), 2.0 / 3 * std::log(2.0), 1e-14);
  EXPECT_NEAR(UnifilarSource({{{'h', 0, 1}, {'t', 0, 3}}}).entropy_rate(), 0.562335144618809,
              1e-14);
}

TEST(UnifilarSource, VisitsStatesAsOftenAsItsTransitionsSay) {
  const UnifilarSource source = crooked();
  const std::vector<double> frequency = source.stationary();
  EXPECT_NEAR(std::accumulate(frequency.begin(), frequency.end(), 0.0), 1, 1e-14);
  std::vector<double> after(frequency.size());
  for (std::int32_t state = 0; state < source.states(); ++state)
    for (const Transition& t : source.from(state))
      after[static_cast<std::size_t>(t.next)] += frequency[static_cast<std::size_t>(state)] *
                                                 static_cast<double>(t.weight) /
                                                 static_cast<double>(source.total_weight(state));
  for (std::size_t state = 0; state < frequency.size(); ++state)
    EXPECT_NEAR(after[state], frequency[state], 1e-13);
}

// The sum of surprises of n characters has a standard deviation of at most about 2 sqrt(n) here.
TEST(UnifilarSource, WritesTextWhoseSurpriseIsTheEntropyRate) {
  constexpr std::int64_t kLength = 1'000'000;
  for (const UnifilarSource& source : {golden_mean(), even_process(), crooked()}) {
    const double surprise = -source.log_probability(source.generate(5, kLength)) / kLength;
    EXPECT_NEAR(surprise, source.entropy_rate(), 5e-3);
  }
}

TEST(UnifilarSource, WritesTheSameBeginningWhateverTheLength) {
  const UnifilarSource source = crooked();
  const std::string text = source.generate(3, 1000);
  EXPECT_EQ(source.generate(3, 999), text.substr(0, 999));
  EXPECT_EQ(source.generate(3, 10), text.substr(0, 10));
  EXPECT_NE(source.generate(4, 1000), text);
}

TEST(UnifilarSource, GivesImpossibleTextNoProbability) {
  EXPECT_EQ(golden_mean().log_probability("1001"), -std::numeric_limits<double>::infinity());
  EXPECT_NEAR(golden_mean().log_probability("1011"), -3 * std::log(2.0), 1e-15);
}

TEST(UnifilarSource, IsRefusedIfCharactersDoNotTellTheState) {
  using States = std::vector<std::vector<Transition>>;
  const auto failure = [](const States& states) {
    return thrown([&] { UnifilarSource source(states); });
  };
  const std::string place = "[3] source of text: state 0 ";
  EXPECT_EQ(failure({{{'a', 0, 1}, {'a', 1, 1}}, {{'b', 0, 1}}}), place + "has a character twice");
  EXPECT_EQ(failure({{{'a', 1, 1}}, {{'a', 1, 1}}}),
            place + "cannot be reached from every other one");
  EXPECT_EQ(failure({{{'a', 0, 1}}, {{'a', 0, 1}}}), place + "does not lead to every other one");
  EXPECT_EQ(failure(States(1)), place + "leads nowhere");
  EXPECT_EQ(failure(States(1, {{'a', 0, 0}})), place + "has a weight below 1");
  EXPECT_EQ(failure(States(1, {{'a', 1, 1}})), place + "leads to no state");
  EXPECT_EQ(failure(States()), place + "is missing");
}

TEST(ConditionalEntropies, AreDifferencesOfBlockEntropies) {
  for (const UnifilarSource& source : {golden_mean(), even_process(), crooked()}) {
    ConditionalEntropies given(source);
    double below = 0;
    for (std::int64_t k = 0; k < 9; ++k) {
      const double block = block_entropy(source, k + 1);
      EXPECT_NEAR(given.at(k), block - below, 1e-9) << "k = " << k;
      below = block;
    }
  }
}

TEST(ConditionalEntropies, FallToTheEntropyRate) {
  for (const UnifilarSource& source : {golden_mean(), even_process()}) {
    ConditionalEntropies given(source);
    for (std::int64_t k = 0; k < 100; ++k) {
      EXPECT_GE(given.at(k), given.at(k + 1) - 1e-12) << "k = " << k;
      EXPECT_GE(given.at(k), source.entropy_rate() - 1e-9);
    }
    EXPECT_NEAR(given.at(100), source.entropy_rate(), 1e-9);
  }
}

TEST(ConditionalEntropies, AreAveragedOverAWindow) {
  const UnifilarSource source = even_process();
  ConditionalEntropies given(source);
  EXPECT_NEAR(given.mean(1, 3), (given.at(1) + given.at(2) + given.at(3)) / 3, 1e-15);
}

PhraseTable small_table() {
  PhraseTable table;
  table["verb"] = {{"sees ", 2, "noun"}, {"seeks ", 1, "noun"}};
  table["noun"] = {{"me.", 1, "verb"}, {"meat.", 1, "verb"}};
  return table;
}

TEST(Spell, GivesPhrasesTheirProbability) {
  const UnifilarSource source = spell(small_table(), "verb");
  EXPECT_NEAR(source.log_probability("sees me.seeks meat."), std::log(2.0 / 3 / 2 * 1 / 3 / 2),
              1e-14);
}

TEST(Spell, HasTheEntropyOfItsChoicesPerCharacter) {
  const double choices = std::log(3.0) - 2.0 / 3 * std::log(2.0) + std::log(2.0);
  const double characters = 5 + 1.0 / 3 + 4;
  EXPECT_NEAR(spell(small_table(), "verb").entropy_rate(), choices / characters, 1e-14);
}

TEST(Spell, SharesStatesBetweenWordsThatEndAlike) {
  PhraseTable table;
  table["word"] = {{"lord ", 1, "word"}, {"word ", 1, "word"}};
  EXPECT_EQ(spell(table, "word").states(), 5);  // start, "ord ", "rd ", "d ", " "
}

TEST(Spell, RefusesAPhraseThatBeginsAnotherOne) {
  PhraseTable table;
  table["word"] = {{"lords", 1, "word"}, {"lord", 1, "word"}};
  EXPECT_EQ(thrown([&] { spell(table, "word"); }),
            "[3] phrase table: node 'word' has 'lord', with which 'lords' begins: which it was "
            "could not be told");
}

TEST(Spell, NamesWhatIsMissing) {
  PhraseTable table;
  table["word"] = {{"lord", 1, "wrod"}};
  EXPECT_EQ(thrown([&] { spell(table, "word"); }),
            "[3] phrase table: node 'word' leads to 'wrod', which is no node");
  EXPECT_EQ(thrown([&] { spell(table, "wrod"); }), "[3] phrase table: no node 'wrod' to begin at");
}

}  // namespace
}  // namespace assay
