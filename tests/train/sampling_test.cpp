#include "train/generate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "autograd/tape.h"
#include "support/thrown.h"
#include "train/beam_search.h"

namespace assay {
namespace {

/// The logits of each position are a function of the ids up to it, which it says; of a context
/// of 8.
class Known : public Model {
 public:
  explicit Known(std::int64_t vocabulary) : vocabulary_(vocabulary) {}
  Output forward(const Batch& batch, Pass& pass) const override {
    const auto input = batch.ids("input");
    const std::int64_t rows = input.shape[0], length = input.shape[1];
    EXPECT_LE(length, 8);
    std::vector<float> logits;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t n = 0; n < length; ++n) {
        const auto seen = input.values.subspan(static_cast<std::size_t>(row * length),
                                               static_cast<std::size_t>(n + 1));
        const std::vector<double> p = next({seen.begin(), seen.end()});
        for (const double one : p) logits.push_back(static_cast<float>(std::log(one)));
      }
    return {pass.tape().constant({rows, length, vocabulary_}, logits), {}};
  }
  std::int64_t longest_input() const override { return 8; }

 protected:
  /// Probabilities of the next id.
  virtual std::vector<double> next(const std::vector<std::int32_t>& ids) const = 0;
  std::int64_t vocabulary_;
};

/// Almost surely the sum of what it sees, modulo 7.
class Sums final : public Known {
 public:
  Sums() : Known(7) {}

 private:
  std::vector<double> next(const std::vector<std::int32_t>& ids) const override {
    std::vector<double> p(7, 1e-6);
    std::int32_t sum = 0;
    for (const std::int32_t id : ids) sum += id;
    p[static_cast<std::size_t>(sum % 7)] = 1 - 6e-6;
    return p;
  }
};

/// REFERENCE S16: p(a) = 0.6, p(b) = 0.4, p(.|a) = (0.5, 0.5), p(.|b) = (0.9, 0.1). Id 2 starts.
class TwoSteps final : public Known {
 public:
  TwoSteps() : Known(3) {}

 private:
  std::vector<double> next(const std::vector<std::int32_t>& ids) const override {
    if (ids.back() == 2) return {0.6, 0.4, 1e-30};
    if (ids.back() == 0) return {0.5, 0.5, 1e-30};
    return {0.9, 0.1, 1e-30};
  }
};

/// Ends (id 2) at once with 0.4, or after one id 0 (0.6) surely.
class Ending final : public Known {
 public:
  Ending() : Known(4) {}

 private:
  std::vector<double> next(const std::vector<std::int32_t>& ids) const override {
    if (ids.back() == 3) return {0.55, 0.05, 0.4, 1e-30};
    return {0.15, 0.15, 0.7, 1e-30};
  }
};

const Parameters kNone;

std::vector<std::int32_t> continued(const Model& model, const std::vector<std::int32_t>& prompt) {
  return generate(model, kNone, {}, prompt, 5, Random(1, "test"));
}

// D36: context 8. What is longer than it is seen from its last 8 tokens on, at positions from 0.
TEST(Generate, OfAPromptLongerThanTheContextSeesItsEnd) {
  const Sums model;
  std::vector<std::int32_t> twenty;
  for (std::int32_t i = 0; i < 20; ++i) twenty.push_back(i % 7);
  for (const std::size_t length : {1, 8, 9, 20}) {
    const std::vector<std::int32_t> prompt(twenty.begin(),
                                           twenty.begin() + static_cast<std::ptrdiff_t>(length));
    const auto ids = continued(model, prompt);
    EXPECT_EQ(ids.size(), 5U);
    const auto seen = std::min<std::size_t>(length, 8);
    EXPECT_EQ(ids,
              continued(model, {prompt.end() - static_cast<std::ptrdiff_t>(seen), prompt.end()}));
  }
}

TEST(Generate, RefusesAnEmptyPrompt) {
  EXPECT_EQ(thrown([] { continued(Sums(), {}); }),
            "[2] the prompt is empty: a model needs at least one token to continue");
}

TEST(Generate, HandsOverEachTokenWithItsLogProbabilityAndEndsWhenTold) {
  std::vector<double> found;
  const std::vector<std::int32_t> prompt = {3};
  generate(Sums(), kNone, {}, {prompt, {}}, 5, Random(1, "test"), [&](const DrawnToken& drawn) {
    found.push_back(drawn.log_probability);
    return found.size() < 3;
  });
  ASSERT_EQ(found.size(), 3U);
  for (const double one : found) EXPECT_NEAR(one, std::log(1 - 6e-6), 1e-6);
}

TEST(Generate, ScoresAGivenText) {
  const std::vector<std::int32_t> prompt = {2}, text = {1, 0};
  const auto found = log_probabilities(TwoSteps(), kNone, {prompt, {}}, text);
  EXPECT_NEAR(found[0], std::log(0.4), 1e-6);
  EXPECT_NEAR(found[1], std::log(0.9), 1e-6);
}

double probability(const BeamResult& beam) {
  double sum = 0;
  for (const double one : beam.log_probabilities) sum += one;
  return std::exp(sum);
}

TEST(BeamSearch, FindsWhatGreedySearchMisses) {
  const std::vector<std::int32_t> prompt = {2};
  BeamOptions options;
  options.length = 2, options.width = 1;
  const auto greedy = beam_search(TwoSteps(), kNone, {prompt, {}}, options);
  EXPECT_EQ(greedy[0].ids, (std::vector<std::int32_t>{0, 0}));
  EXPECT_NEAR(probability(greedy[0]), 0.30, 1e-6);
  options.width = 2;
  const auto two = beam_search(TwoSteps(), kNone, {prompt, {}}, options);
  EXPECT_EQ(two[0].ids, (std::vector<std::int32_t>{1, 0}));
  EXPECT_NEAR(probability(two[0]), 0.36, 1e-6);
  EXPECT_EQ(two.size(), 2U);
}

// Log-probabilities: at once ln 0.4 = -0.916; after one more ln (0.55 0.7) = -0.955, which is the
// better one per token.
TEST(BeamSearch, ComparesSequencesOfUnequalLengthByTheirPenalty) {
  const std::vector<std::int32_t> prompt = {3};
  BeamOptions options;
  options.length = 4, options.width = 3, options.end = 2;
  options.length_penalty = 0;
  EXPECT_EQ(beam_search(Ending(), kNone, {prompt, {}}, options)[0].ids,
            (std::vector<std::int32_t>{2}));
  options.length_penalty = 1;
  const auto per_token = beam_search(Ending(), kNone, {prompt, {}}, options)[0];
  EXPECT_EQ(per_token.ids, (std::vector<std::int32_t>{0, 2}));
  EXPECT_NEAR(per_token.score, std::log(0.55 * 0.7) / 2, 1e-6);
}

}  // namespace
}  // namespace assay
