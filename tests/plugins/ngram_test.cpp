#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "autograd/ops_loss.h"
#include "data/cover_stream.h"
#include "data/token_stream.h"
#include "data/windows.h"
#include "plugins/bundled.h"
#include "support/expect_near.h"
#include "support/golden.h"
#include "support/id_stream.h"
#include "support/thrown.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

DataSpec ngram_spec(std::int64_t vocabulary) {
  DataSpec spec;
  spec.fields = {{"input", vocabulary, 4, 0}, {"target", vocabulary, 4, 0}};
  return spec;
}

// A model without parameters needs a pass all the same.
struct NgramSubject {
  NgramSubject(const std::string& options, const DataSpec& data)
      : model(make<Model>("{type: ngram, " + options + "}", {data, 4, Scope(parameters)})) {
    parameters.initialise(1);
  }
  // Logits [B, N, K] of a batch.
  std::vector<float> logits(const Batch& batch) const {
    Tape tape(false);
    Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, "step"));
    const auto values = model->forward(batch, pass).logits.values();
    return {values.begin(), values.end()};
  }
  // Probabilities of the token after `ids`.
  std::vector<double> after(const std::vector<std::int32_t>& ids) const {
    Batch batch(1);
    const auto input = batch.add_ids("input", {1, static_cast<std::int64_t>(ids.size())});
    std::copy(ids.begin(), ids.end(), input.begin());
    const std::vector<float> all = logits(batch);
    const std::size_t size = all.size() / ids.size();
    std::vector<double> result;
    for (std::size_t i = all.size() - size; i < all.size(); ++i)
      result.push_back(std::exp(double{all[i]}));
    return result;
  }
  Parameters parameters;
  std::unique_ptr<Model> model;
};

// The windows of a few ids, with the history that the model asks for.
struct NgramStream final : IdStream {
  NgramStream(std::vector<std::int32_t> ids, const NgramSubject& subject)
      : IdStream(std::move(ids), {2, subject.model->history()}) {}
};

// Counts of "abab", from the public reports of wrong denominators: the last b has no successor.
NgramSubject of_abab(const std::string& options) {
  NgramSubject subject("context: 1, " + options, ngram_spec(2));
  NgramStream stream({0, 1, 0, 1}, subject);
  subject.model->fit(stream);
  return subject;
}

TEST(Ngram, AddsOneAndDividesByWhatWasSeenAfterTheContext) {
  const NgramSubject bigram = of_abab("smoothing: 1");
  expect_near(bigram.after({0}), {1.0 / 4, 3.0 / 4}, 1e-7);
  expect_near(bigram.after({1}), {2.0 / 3, 1.0 / 3}, 1e-7);
}

// "abb" whose a is given: P(b|a) P(b|b) = 3/4 x 1/3, perplexity 2.
TEST(Ngram, HasThePerplexityOfTheBooks) {
  const NgramSubject bigram = of_abab("smoothing: 1");
  EXPECT_NEAR(std::sqrt(1 / (bigram.after({0})[1] * bigram.after({1})[1])), 2.0, 1e-6);
}

TEST(Ngram, WithoutSmoothingGivesTheUnseenInfiniteLossNotNan) {
  const NgramSubject bigram = of_abab("smoothing: 0");
  expect_near(bigram.after({0}), {0, 1}, 1e-7);
  Batch batch(1);
  const auto input = batch.add_ids("input", {1, 2});
  input[1] = 1;  // "ab", then "bb": b after b was never seen
  Tape tape(false);
  Pass pass(tape, bigram.parameters, {}, Mode::evaluate, Random(1, "step"));
  const std::vector<std::int32_t> seen = {1, 0}, unseen = {1, 1};
  EXPECT_EQ(cross_entropy(bigram.model->forward(batch, pass).logits, seen).sum.values()[0], 0);
  EXPECT_EQ(cross_entropy(bigram.model->forward(batch, pass).logits, unseen).sum.values()[0],
            kInfinity);
}

TEST(Ngram, GivesAContextNeverSeenTheUniformDistribution) {
  for (const char* smoothing : {"0", "0.5"}) {
    NgramSubject bigram("context: 1, smoothing: " + std::string(smoothing), ngram_spec(3));
    NgramStream stream({0, 1, 0, 1}, bigram);
    bigram.model->fit(stream);
    expect_near(bigram.after({2}), {1.0 / 3, 1.0 / 3, 1.0 / 3}, 1e-7);
  }
}

TEST(Ngram, AddsUpContextsThatEndAlikeWhereLessStandsBefore) {
  NgramSubject trigram("context: 2, smoothing: 0", ngram_spec(3));
  NgramStream stream({0, 1, 2, 2, 1, 0, 1, 2}, trigram);  // after x 1: 2, 0, 2
  trigram.model->fit(stream);
  expect_near(trigram.after({1}), {1.0 / 3, 0, 2.0 / 3}, 1e-7);
  expect_near(trigram.after({0, 1}), {0, 0, 1}, 1e-7);
}

TEST(Ngram, UsesTheHistoryBeforeTheWindow) {
  NgramSubject trigram("context: 2, smoothing: 0", ngram_spec(3));
  NgramStream stream({0, 1, 2, 2, 1, 0, 1, 2}, trigram);
  trigram.model->fit(stream);
  Batch batch(1);
  batch.add_ids("input", {1, 1})[0] = 1;
  const auto history = batch.add_ids("history", {1, 2});
  history[0] = -1;
  history[1] = 2;
  EXPECT_EQ(trigram.logits(batch)[0], 0);  // log 1: after "2 1" came 0
}

TEST(Ngram, OfContextZeroIsTheUnigram) {
  NgramSubject unigram("context: 0, smoothing: 0", ngram_spec(2));
  NgramStream stream({1, 0, 1, 1, 1}, unigram);  // predicts 0, 1, 1, 1
  unigram.model->fit(stream);
  EXPECT_EQ(unigram.model->history(), 0);
  expect_near(unigram.after({0}), {0.25, 0.75}, 1e-7);
}

TEST(Ngram, SumsToOneAfterEveryContext) {
  for (const char* options :
       {"context: 0", "context: 1", "context: 3, smoothing: 0.1",
        "context: 2, method: interpolated", "context: 3, method: kneser_ney"}) {
    NgramSubject model(options, ngram_spec(5));
    std::vector<std::int32_t> ids;
    for (std::uint64_t i = 0; i < 200; ++i)
      ids.push_back(static_cast<std::int32_t>(Random(1, "ids").below(i, 5)));
    NgramStream stream(ids, model);
    model.model->fit(stream);
    for (std::int32_t a = 0; a < 5; ++a)
      for (std::int32_t b = 0; b < 5; ++b) {
        const std::vector<double> p = model.after({a, b, b, a});
        EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-6) << options;
      }
  }
}

TEST(Ngram, FittedAgainForgetsWhatItCounted) {
  NgramSubject bigram = of_abab("smoothing: 1");
  NgramStream stream({1, 1, 1, 0}, bigram);
  bigram.model->fit(stream);
  expect_near(bigram.after({0}), {0.5, 0.5}, 1e-7);
  expect_near(bigram.after({1}), {2.0 / 5, 3.0 / 5}, 1e-7);
}

TEST(Ngram, RestoredPredictsTheSame) {
  NgramSubject bigram = of_abab("smoothing: 1");
  State state;
  StateIo saving = StateIo::saving(state);
  bigram.model->state(saving);
  NgramSubject restored("context: 1", ngram_spec(2));
  StateIo restoring = StateIo::restoring(state);
  restored.model->state(restoring);
  EXPECT_EQ(restored.after({0}), bigram.after({0}));
  EXPECT_EQ(restored.after({1}), bigram.after({1}));
}

TEST(Ngram, RefusesADamagedState) {
  using Counts = std::vector<std::int64_t>;
  struct Damaged {
    Counts parents, tokens, firsts, followers, counts;
  };
  const Counts parents = {0, 0, 1}, tokens = {0, 2, 1}, firsts = {0, 0, 2, 3, 4};
  const Counts followers = {0, 1, 2, 1}, counts = {1, 1, 1, 5};
  const auto message = [](const Damaged& d) {
    State state;
    const auto put = [&](const char* name, const Counts& values) {
      state[name] = {{static_cast<std::int64_t>(values.size())}, values};
    };
    put("parents", d.parents), put("tokens", d.tokens), put("firsts", d.firsts);
    put("followers", d.followers), put("counts", d.counts);
    StateIo restoring = StateIo::restoring(state);
    NgramSubject trigram("context: 2", ngram_spec(3));
    return thrown([&] { trigram.model->state(restoring); });
  };
  EXPECT_EQ(message({parents, tokens, firsts, followers, counts}), "");
  const std::vector<Damaged> damaged = {
      {{0, 0}, tokens, firsts, followers, counts},            // tokens without parents
      {{0, 0, 4}, tokens, firsts, followers, counts},         // a parent that comes later
      {{0, 1, 0}, tokens, firsts, followers, counts},         // children apart
      {{0, 0, -1}, tokens, firsts, followers, counts},        //
      {parents, {0, 3, 1}, firsts, followers, counts},        // outside the vocabulary
      {parents, {2, 0, 1}, firsts, followers, counts},        // not sorted
      {parents, tokens, {0, 0, 2, 4}, followers, counts},     // a list too few
      {parents, tokens, {0, 2, 0, 3, 4}, followers, counts},  //
      {parents, tokens, {0, 0, 2, 3, 5}, followers, counts},  // beyond the end
      {parents, tokens, firsts, {1, 0, 2, 1}, counts},        // not sorted
      {parents, tokens, firsts, {0, 3, 2, 1}, counts},        // outside the vocabulary
      {parents, tokens, firsts, followers, {1, 0, 1, 5}},     // counts of nothing
      {parents, tokens, firsts, followers, {1, 1, 1}},        //
      {{0, 1, 2}, {0, 1, 2}, {0, 0, 0, 0, 1}, {0}, {1}},      // too long a context
  };
  for (const Damaged& d : damaged)
    EXPECT_EQ(message(d), "[5] model 'ngram': the saved counts are damaged") << &d - damaged.data();
}

TEST(Ngram, TakesContextsOfAnyLength) {
  NgramSubject model("context: 40, smoothing: 0", ngram_spec(65));
  std::vector<std::int32_t> ids;
  for (std::int32_t i = 0; i < 100; ++i) ids.push_back(i % 50);  // told by 40 tokens: all
  NgramStream stream(ids, model);
  model.model->fit(stream);
  const std::vector<double> p = model.after({ids.begin() + 2, ids.begin() + 45});
  EXPECT_EQ(p[45], 1);
}

// Computed by tests/golden/make_ngram.py from the formulas, with dictionaries.
TEST(Ngram, MixesWithShorterContextsAsTheFormulasSay) {
  const Golden golden("ngram");
  const auto ids = golden.json().at("ids").get<std::vector<std::int32_t>>();
  for (const auto& golden_case : golden.json().at("cases")) {
    const auto options = golden_case.at("options").get<std::string>();
    NgramSubject model(options, ngram_spec(golden.json().at("size").get<std::int64_t>()));
    NgramStream stream(ids, model);
    model.model->fit(stream);
    for (const auto& asked : golden_case.at("after")) {
      const auto context = asked.at("context").get<std::vector<std::int32_t>>();
      SCOPED_TRACE(options + ", after " + asked.at("context").dump());
      // Of the unigram the token before decides nothing, but one must stand there.
      const auto p = model.after(context.empty() ? std::vector<std::int32_t>{3} : context);
      expect_near(p, asked.at("p").get<std::vector<double>>(), 1e-7);
    }
  }
}

TEST(Ngram, SaysWhichOptionBelongsToWhichMethod) {
  EXPECT_EQ(thrown([] { NgramSubject("smoothing: 1, method: kneser_ney", ngram_spec(3)); }),
            "[2] test.yaml:1:1: model: smoothing is of method additive only");
  EXPECT_EQ(thrown([] { NgramSubject("weight: 0.5", ngram_spec(3)); }),
            "[2] test.yaml:1:1: model: weight is of method interpolated only");
}

TEST(Ngram, RefusesATokenOutsideItsVocabulary) {
  const NgramSubject bigram = of_abab("smoothing: 1");
  EXPECT_EQ(thrown([&] { bigram.after({2}); }),
            "[5] model 'ngram': token 2 is outside the vocabulary of 2");
}

// The published figures, and those of the whole validation split, recomputed elsewhere.
class NgramOnShakespeare : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("ASSAY_DATA"))
      GTEST_SKIP() << "set ASSAY_DATA to a folder with tinyshakespeare.txt";
    dataset = make<Dataset>("{type: text, source: tiny_shakespeare}", {});
    dataset->load();
    const auto tokenizer = make<Tokenizer>("{type: char}", {});
    tokenizer->train(*dataset->text(Split::train));
    dataset->tokenize(tokenizer.get());
  }
  NgramSubject fitted(std::int64_t context, const std::string& method = "additive") {
    NgramSubject subject("context: " + std::to_string(context) + ", method: " + method,
                         dataset->spec({64, 0}));
    CoverStream train(*dataset, Split::train, {64, subject.model->history()});
    subject.model->fit(train);
    return subject;
  }
  double loss(const NgramSubject& subject, const std::vector<Example>& examples,
              const Request& request) {
    double sum = 0, weight = 0;
    for (const Example& example : examples) {
      const Batch batch = dataset->batch(Split::validation, std::span(&example, 1), request);
      const std::vector<float> logits = subject.logits(batch);
      const auto targets = batch.ids("target").values;
      for (std::size_t i = 0; i < targets.size(); ++i) {
        if (targets[i] < 0) continue;
        sum -= double{logits[i * 65 + static_cast<std::size_t>(targets[i])]};
        ++weight;
      }
    }
    return sum / weight;
  }
  double windows_loss(std::int64_t context) {
    const NgramSubject subject = fitted(context);
    const Request request = {64, subject.model->history()};
    const std::int64_t examples = dataset->examples(Split::validation, request);
    return loss(subject, evaluation_windows(examples, 123, 512), request);
  }
  double whole_loss(std::int64_t context, const std::string& method = "additive") {
    const NgramSubject subject = fitted(context, method);
    const Request request = {64, subject.model->history()};
    return loss(subject, dataset->cover(Split::validation, request), request);
  }

  std::unique_ptr<Dataset> dataset;
};

TEST_F(NgramOnShakespeare, HasThePublishedLossOnThe512Windows) {
  EXPECT_NEAR(windows_loss(0), 3.3580, 5e-5);
  EXPECT_NEAR(windows_loss(1), 2.4859, 5e-5);
}

TEST_F(NgramOnShakespeare, HasTheReferenceLossOnAllOfValidation) {
  EXPECT_NEAR(whole_loss(0), 3.347305, 5e-7);
  EXPECT_NEAR(whole_loss(1), 2.481889, 5e-7);
  EXPECT_NEAR(whole_loss(2), 2.068421, 5e-7);
  EXPECT_NEAR(whole_loss(3), 1.952574, 5e-7);
  EXPECT_NEAR(whole_loss(4), 2.173702, 5e-7);
  EXPECT_NEAR(whole_loss(5), 2.593136, 5e-7);
}

// Computed by tests/golden/make_ngram.py.
TEST_F(NgramOnShakespeare, MixesWithShorterContextsAsTheFormulasSay) {
  EXPECT_NEAR(whole_loss(2, "interpolated"), 2.249380, 1e-6);
  EXPECT_NEAR(whole_loss(0, "kneser_ney"), 3.347304, 1e-6);
  EXPECT_NEAR(whole_loss(1, "kneser_ney"), 2.483516, 1e-6);
  EXPECT_NEAR(whole_loss(5, "kneser_ney"), 1.522597, 1e-6);
}

}  // namespace
}  // namespace assay
