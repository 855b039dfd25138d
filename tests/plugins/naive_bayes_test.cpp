#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/tape.h"
#include "interfaces/model.h"
#include "plugins/bundled.h"
#include "support/expect_near.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Document = std::pair<std::string, std::int32_t>;  // letters a, b, ... and the class

Batch batch_of(const std::vector<Document>& documents) {
  std::size_t longest = 1;
  for (const auto& [text, label] : documents) longest = std::max(longest, text.size());
  const auto rows = static_cast<std::int64_t>(documents.size());
  Batch batch(rows);
  const Shape shape{rows, static_cast<std::int64_t>(longest)};
  const auto input = batch.add_ids("input", shape);
  const auto mask = batch.add_marks("mask", shape);
  const auto target = batch.add_ids("target", {rows});
  for (std::size_t row = 0; row < documents.size(); ++row) {
    const std::string& text = documents[row].first;
    for (std::size_t i = 0; i < text.size(); ++i) {
      input[row * longest + i] = text[i] - 'a';
      mask[row * longest + i] = 1;
    }
    target[row] = documents[row].second;
  }
  return batch;
}

// One batch as the training split.
class Documents final : public BatchStream {
 public:
  explicit Documents(const std::vector<Document>& documents) : batch_(batch_of(documents)) {}
  void rewind() override { done_ = false; }
  std::optional<Batch> next() override {
    if (std::exchange(done_, true)) return std::nullopt;
    return batch_;
  }

 private:
  Batch batch_;
  bool done_ = false;
};

struct NaiveBayesSubject {
  explicit NaiveBayesSubject(const std::string& options, std::int64_t classes = 2)
      : model(make<Model>(
            "{type: naive_bayes" + options + "}",
            {DataSpec{{{"input", 2, 8, 0}, {"target", classes, 0, 0}}}, 8, Scope(parameters)})) {
    parameters.initialise(1);
  }
  NaiveBayesSubject(const std::string& options, const std::vector<Document>& documents)
      : NaiveBayesSubject(options) {
    Documents train(documents);
    model->fit(train);
  }
  std::vector<double> of(const std::string& text) const {
    Tape tape(false);
    Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, "step"));
    std::vector<double> result;
    for (const float logit : model->forward(batch_of({{text, 0}}), pass).logits.values())
      result.push_back(std::exp(double{logit}));
    return result;
  }
  State state() const {
    State state;
    StateIo saving = StateIo::saving(state);
    model->state(saving);
    return state;
  }
  Parameters parameters;
  std::unique_ptr<Model> model;
};

const std::vector<Document> kBoth = {{"aaab", 0}, {"abbb", 1}};

// (2/3)^1000 (1/3)^999 against (1/3)^1000 (2/3)^999: products of these are 0 in floating point.
TEST(NaiveBayes, DoesNotUnderflowOnALongDocument) {
  const NaiveBayesSubject bayes("", kBoth);
  expect_near(bayes.of(std::string(1000, 'a') + std::string(999, 'b')), {2.0 / 3, 1.0 / 3}, 1e-6);
}

TEST(NaiveBayes, PredictsWithoutChangingItsCounts) {
  const NaiveBayesSubject bayes("", kBoth);
  const std::vector<double> first = bayes.of("ab");
  const auto before = bayes.state().at("counts").data;
  bayes.of("bbbbbbbb");
  EXPECT_EQ(bayes.state().at("counts").data, before);
  EXPECT_EQ(bayes.of("ab"), first);
}

TEST(NaiveBayes, TakesPriorsFromTheDocumentsOrAlike) {
  const std::vector<Document> three = {{"ab", 0}, {"ab", 0}, {"ab", 1}};
  expect_near(NaiveBayesSubject("", three).of(""), {2.0 / 3, 1.0 / 3}, 1e-6);
  expect_near(NaiveBayesSubject(", priors: equal", three).of(""), {0.5, 0.5}, 1e-6);
}

// Class 0: 4 tokens, a 3; class 1: 2 tokens, a 1. Smoothing 0.5: P(a) = 3.5/5 and 1.5/3.
TEST(NaiveBayes, AddsItsSmoothingToEveryCount) {
  const NaiveBayesSubject bayes(", smoothing: 0.5, priors: equal", {{"aaab", 0}, {"ab", 1}});
  expect_near(bayes.of("a"), {0.7 / 1.2, 0.5 / 1.2}, 1e-6);
}

TEST(NaiveBayes, WithoutSmoothingRulesOutAClassAndFallsBackToThePriors) {
  const NaiveBayesSubject bayes(", smoothing: 0", {{"a", 0}, {"a", 0}, {"b", 1}});
  expect_near(bayes.of("a"), {1, 0}, 1e-6);
  expect_near(bayes.of("ab"), {2.0 / 3, 1.0 / 3}, 1e-6);
}

TEST(NaiveBayes, DoesNotCountPaddingNorRowsWithoutAClass) {
  expect_near(NaiveBayesSubject("", {{"aaab", 0}, {"abbb", 1}, {"a", -1}}).of("a"),
              {2.0 / 3, 1.0 / 3}, 1e-6);
  expect_near(NaiveBayesSubject("", {{"b", 0}, {"bbbb", 1}}).of("a"), {2.0 / 3, 1.0 / 3},
              1e-6);  // 1/3 and 1/6
}

TEST(NaiveBayes, FittedAgainForgetsWhatItCounted) {
  NaiveBayesSubject bayes("", kBoth);
  Documents swapped({{"aaab", 1}, {"abbb", 0}});
  bayes.model->fit(swapped);
  expect_near(bayes.of("a"), {1.0 / 3, 2.0 / 3}, 1e-6);
}

TEST(NaiveBayes, RefusesADamagedState) {
  State state = NaiveBayesSubject("", kBoth).state();
  StateIo restoring = StateIo::restoring(state);
  EXPECT_EQ(thrown([&] { NaiveBayesSubject("", 3).model->state(restoring); }),
            "[5] model 'naive_bayes': the saved counts are damaged");
}

TEST(NaiveBayes, RefusesWhatIsOutsideItsVocabularyAndItsClasses) {
  EXPECT_EQ(thrown([] { NaiveBayesSubject("", kBoth).of("c"); }),
            "[5] model 'naive_bayes': token 2 is not one of 2");
  EXPECT_EQ(thrown([] {
              NaiveBayesSubject("", {{"a", 2}});
            }),
            "[5] model 'naive_bayes': class 2 is not one of 2");
}

TEST(NaiveBayes, RefusesTargetsPerPosition) {
  Parameters parameters;
  const DataSpec text{{{"input", 2, 8, 0}, {"target", 2, 8, 0}}};
  EXPECT_EQ(thrown([&] {
              make<Model>("{type: naive_bayes}", {text, 8, Scope(parameters)});
            }),
            "[2] test.yaml:1:1: model 'naive_bayes' gives one class per document: wanted data with "
            "one target per row, such as dataset 'labelled_text'\n"
            "  {type: naive_bayes}\n"
            "  ^");
}

}  // namespace
}  // namespace assay
