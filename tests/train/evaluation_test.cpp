#include "train/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "train/fakes.h"

namespace assay {
namespace {

// Four examples of one target each, whose losses are given.
class Listed final : public Dataset {
 public:
  void load() override {}
  void tokenize(const Tokenizer*) override {}
  DataSpec spec(const Request&) const override {
    return {{{"input", 4, 1, 0}, {"target", 4, 1, 0}}};
  }
  std::int64_t examples(Split, const Request&) const override { return 4; }
  Batch batch(Split, std::span<const Example> examples, const Request&) const override {
    const auto rows = static_cast<std::int64_t>(examples.size());
    Batch batch(rows);
    auto input = batch.add_ids("input", {rows, 1});
    batch.add_ids("target", {rows, 1});
    for (std::size_t i = 0; i < examples.size(); ++i)
      input[i] = static_cast<std::int32_t>(examples[i].index);
    return batch;
  }
  std::string digest() const override { return "listed"; }
};

// Two classes; the logits of example i give class 0 the loss listed.
class Losses final : public Model {
 public:
  Output forward(const Batch& batch, Pass& pass) const override {
    static constexpr double kLosses[] = {0.5, 0.7, 0.9, 2.1};
    std::vector<float> logits;
    for (std::int32_t i : batch.ids("input").values) {
      logits.push_back(0);
      logits.push_back(static_cast<float>(std::log(std::exp(kLosses[i]) - 1)));
    }
    return {pass.tape().constant({batch.size(), 1, 2}, logits), {}};
  }
};

// CASES.md D05: a mean over targets, not over batches.
TEST(Evaluation, GivesTheMeanOverTargetsWhateverTheBatchSize) {
  Listed data;
  Losses model;
  fakes::NextId objective;
  Parameters parameters;
  parameters.initialise(1);
  EvaluateOptions options;
  options.windows = "all";
  const Evaluation evaluation(data, objective, options, {1, 0});
  for (int shards_per_batch : {1, 2, 3, 4, 100}) {
    Shards shards(model, objective, parameters, shards_per_batch);
    const BatchSum sum = evaluation.run(shards);
    EXPECT_EQ(sum.weight, 4);
    EXPECT_NEAR(sum.loss / sum.weight, 1.05, 1e-6) << shards_per_batch;
    EXPECT_NEAR(std::exp(sum.loss / sum.weight), 2.857651, 1e-5) << shards_per_batch;
  }
}

// The 60 windows of 20 batches of 3 are those of 1 batch of 60, so their loss is too.
TEST(Evaluation, OfRandomWindowsDependsOnTheirNumberOnly) {
  fakes::SmallRun run(0, 500);
  Shards shards(run.model, run.objective, run.parameters, 2);
  std::vector<double> losses;
  for (std::int64_t batch : {1, 3, 20, 60}) {
    EvaluateOptions options;
    options.batch = batch;
    options.batches = 60 / batch;
    const BatchSum sum = Evaluation(run.data, run.objective, options, {6, 0}).run(shards);
    losses.push_back(sum.loss / sum.weight);
  }
  for (double loss : losses) EXPECT_EQ(loss, losses.front());
}

TEST(Evaluation, OfManyWindowsEqualsTheSumOfItsParts) {
  fakes::SmallRun run(0, 3000);
  EvaluateOptions options;
  options.windows = "all";
  Shards shards(run.model, run.objective, run.parameters, 2);
  const Request request{2, 0};
  const BatchSum whole = Evaluation(run.data, run.objective, options, request).run(shards);
  double loss = 0, weight = 0;
  for (const Example& example : run.data.cover(Split::validation, request)) {
    const BatchSum one =
        shards.evaluate(run.data.batch(Split::validation, {&example, 1}, request), Random(0, ""));
    loss += one.loss;
    weight += one.weight;
  }
  EXPECT_EQ(whole.weight, weight);
  EXPECT_NEAR(whole.loss / whole.weight, loss / weight, 1e-6);
}

}  // namespace
}  // namespace assay
