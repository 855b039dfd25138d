#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "interfaces/dataset.h"
#include "plugins/bundled.h"

namespace assay {
namespace {

std::unique_ptr<Dataset> loaded(const std::string& options = "") {
  auto dataset = make<Dataset>("{type: grammar" + options + "}", {});
  dataset->load();
  const auto tokenizer = make<Tokenizer>("{type: char}", {});
  tokenizer->train(*dataset->text(Split::train));
  dataset->tokenize(tokenizer.get());
  return dataset;
}

// Entropy of a character given the `given` before it, as the dataset says.
double entropy(const Dataset& dataset, std::int64_t given) {
  return dataset.limit({1, given - 1})->nats_per_token;
}

// The same as counted in a text.
double counted_entropy(std::string_view text, std::size_t given) {
  std::map<std::string_view, std::map<char, double>> counts;
  for (std::size_t i = given; i < text.size(); ++i)
    ++counts[text.substr(i - given, given)][text[i]];
  double sum = 0;
  for (const auto& [context, next] : counts) {
    double total = 0;
    for (const auto& [symbol, count] : next) total += count;
    for (const auto& [symbol, count] : next) sum -= count * std::log(count / total);
  }
  return sum / static_cast<double>(text.size() - given);
}

TEST(Grammar, WritesTheSameTextInEveryVersion) {
  const auto dataset = loaded(", length: 90, validation: 0");
  EXPECT_EQ(*dataset->text(Split::train),
            "QUEEN:\n"
            "So each son loves his rose no more,\n"
            "Now these sons seek thy rose by candle light!\n\n");
}

TEST(Grammar, WritesTheSameBeginningWhateverTheLength) {
  const auto longer = loaded(", validation: 0"), shorter = loaded(", validation: 0, length: 5000");
  EXPECT_EQ(longer->text(Split::train)->substr(0, 5000), *shorter->text(Split::train));
  EXPECT_NE(longer->digest(), shorter->digest());
  const auto other = loaded(", validation: 0, length: 5000, seed: 2");
  EXPECT_NE(*other->text(Split::train), *shorter->text(Split::train));
}

// Counting misses a little entropy, about (distinct continuations) / (2 n) < 2e-3, and varies by
// about (deviation of the surprise) x sqrt(length of a line / n) = 0.3 sqrt(50 / n) = 2e-3.
TEST(Grammar, HasTheEntropiesThatItsTextShows) {
  const auto dataset = loaded(", length: 1000000, validation: 0");
  const std::string_view text = *dataset->text(Split::train);
  for (const std::size_t given : {1u, 2u, 3u, 4u})
    EXPECT_NEAR(counted_entropy(text, given), entropy(*dataset, static_cast<std::int64_t>(given)),
                6e-3)
        << "given " << given;
}

TEST(Grammar, IsMorePredictableTheMoreOneSees) {
  const auto dataset = loaded();
  double last = entropy(*dataset, 1);
  for (std::int64_t given = 2; given <= 300; ++given) {
    const double now = entropy(*dataset, given);
    EXPECT_LE(now, last + 1e-9) << "given " << given;
    last = now;
  }
  std::string rate;
  for (const auto& [name, value] : dataset->facts())
    if (name == "entropy rate nats/character") rate = value;
  EXPECT_NEAR(last, std::stod(rate), 1e-6);
}

TEST(Grammar, RewardsALongContext) {
  const auto dataset = loaded();
  EXPECT_GT(entropy(*dataset, 1) - entropy(*dataset, 5), 1.0);
  EXPECT_GT(entropy(*dataset, 5) - entropy(*dataset, 64), 0.1);
}

TEST(Grammar, LimitsAWindowByTheMeanOverItsPositions) {
  const auto dataset = loaded();
  double sum = 0;
  for (std::int64_t given = 1; given <= 32; ++given) sum += entropy(*dataset, given);
  const Limit window = *dataset->limit({32, 0});
  EXPECT_NEAR(window.nats_per_token, sum / 32, 1e-12);
  EXPECT_EQ(window.meaning,
            "entropy of the source given what stands before in a window of 32 characters");
  EXPECT_EQ(dataset->limit({32, 3})->meaning,
            "entropy of the source given what stands before in a window of 32 characters and the 3 "
            "before it");
}

// Two characters to a token.
class Pairs final : public Tokenizer {
 public:
  void train(std::string_view) override {}
  std::int64_t vocabulary() const override { return 2; }
  std::vector<std::int32_t> encode(std::string_view text, const TextSource&) const override {
    return std::vector<std::int32_t>(text.size() / 2);
  }
  std::string decode(std::span<const std::int32_t>) const override { return {}; }
  void state(StateIo&) override {}
};

TEST(Grammar, HasNoLimitPerTokenIfTokensAreNotCharacters) {
  const auto dataset = loaded();
  const Pairs pairs;
  dataset->tokenize(&pairs);
  EXPECT_FALSE(dataset->limit({32, 0}).has_value());
}

}  // namespace
}  // namespace assay
