#include "train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "base/parallel.h"
#include "train/fakes.h"

namespace assay {
namespace {

using fakes::SmallRun;

std::vector<float> weights(const SmallRun& run) {
  const auto buffer = run.parameters.buffer();
  return {buffer.begin(), buffer.end()};
}

bool equal(const std::map<std::string, Series>& a, const std::map<std::string, Series>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.steps == y.second.steps &&
           x.second.values == y.second.values;
  });
}

TEST(Trainer, LearnsAndKeysMetricsByUpdateAndEvaluationsByCompletedUpdates) {
  SmallRun run;
  RunRecord record;
  Trainer(run.parts(), run.settings).run(record, {});
  EXPECT_EQ(record.status, RunStatus::done);
  EXPECT_EQ(record.steps, 12);
  const Series& train = record.metrics.at("train/loss");
  ASSERT_EQ(train.steps.size(), 12U);
  EXPECT_EQ(train.steps.front(), 0);
  EXPECT_EQ(train.steps.back(), 11);
  EXPECT_EQ(record.metrics.at("val/loss").steps, (std::vector<std::int64_t>{0, 4, 8, 12}));
  EXPECT_NEAR(record.metrics.at("val/loss").values.front(), std::log(5.0), 0.1);
  EXPECT_LT(record.metrics.at("val/loss").values.back(), std::log(5.0) - 0.2);
  EXPECT_EQ(record.metrics.at("train/learning_rate").values[1], 0.25);
}

TEST(Trainer, GivesTheSameBitsAtAnyNumberOfThreads) {
  std::vector<std::vector<float>> ends;
  std::vector<RunRecord> records(5);
  for (int threads : {1, 2, 3, 4, 8}) {
    SmallRun run(0.2F);
    RunRecord& record = records[ends.size()];
    Pool(threads).run([&] { Trainer(run.parts(), run.settings).run(record, {}); });
    ends.push_back(weights(run));
    EXPECT_EQ(ends.back(), ends.front()) << threads << " threads";
    EXPECT_TRUE(equal(record.metrics, records[0].metrics)) << threads << " threads";
  }
}

TEST(Trainer, CutsABatchIntoShardsWithoutChangingDropoutOrTheSum) {
  SmallRun one(0.3F), many(0.3F);
  one.settings.train.shards = 1;
  many.settings.train.shards = 8;
  RunRecord a, b;
  Trainer(one.parts(), one.settings).run(a, {});
  Trainer(many.parts(), many.settings).run(b, {});
  for (std::size_t i = 0; i < 12;
       ++i)  // float sums in another order: a few units in the last place
    EXPECT_NEAR(a.metrics["train/loss"].values[i], b.metrics["train/loss"].values[i], 1e-5);
}

TEST(Trainer, AccumulatedMicroBatchesEqualOneBatchOfAllTargets) {
  SmallRun whole, parts;
  whole.settings.train.batch = 8;
  parts.settings.train.batch = 2;
  parts.settings.train.accumulate = 4;
  RunRecord a, b;
  Trainer(whole.parts(), whole.settings).run(a, {});
  Trainer(parts.parts(), parts.settings).run(b, {});
  const auto first = weights(whole), second = weights(parts);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(first[i], second[i], 1e-6);
}

// Minimised beside the mean loss, however the batch is cut; the loss that is told is without.
TEST(Trainer, MinimisesWhatAModelPenalises) {
  SmallRun plain, one, many;
  one.model.penalty = many.model.penalty = 0.1F;
  one.settings.train.shards = 1;
  many.settings.train.shards = 8;
  const std::vector<float> start = weights(one);
  RunRecord a, b, c;
  Trainer(plain.parts(), plain.settings).run(a, {});
  Trainer(one.parts(), one.settings).run(b, {});
  Trainer(many.parts(), many.settings).run(c, {});
  const auto penalty_of = [](const std::vector<float>& table) {
    double squares = 0;
    for (const float weight : table) squares += double{weight} * double{weight};
    return 0.1 * squares;
  };
  const double squares = penalty_of(start);
  EXPECT_NEAR(b.metrics["train/penalty"].values[0], squares, 1e-6 * squares);
  EXPECT_NEAR(c.metrics["train/penalty"].values[0], squares, 1e-6 * squares);
  EXPECT_EQ(a.metrics.count("train/penalty"), 0U);
  EXPECT_NEAR(a.metrics["train/loss"].values[0], b.metrics["train/loss"].values[0], 1e-5);
  EXPECT_EQ(a.metrics["val/loss"].values[0], b.metrics["val/loss"].values[0]);
  EXPECT_LT(penalty_of(weights(one)), 0.9 * penalty_of(weights(plain)));
  for (std::size_t i = 0; i < start.size(); ++i)
    EXPECT_NEAR(weights(one)[i], weights(many)[i], 1e-5);
}

// D03: with as many targets in each micro-batch a mean of means would be right, too.
TEST(Trainer, AccumulatesSumsAndNotMeansWhereMicroBatchesHaveOtherNumbersOfTargets) {
  SmallRun whole, parts;
  whole.data.uneven = parts.data.uneven = true;
  whole.settings.train.batch = 8;
  parts.settings.train.batch = 1;
  parts.settings.train.accumulate = 8;
  RunRecord a, b;
  Trainer(whole.parts(), whole.settings).run(a, {});
  Trainer(parts.parts(), parts.settings).run(b, {});
  const auto first = weights(whole), second = weights(parts);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(first[i], second[i], 1e-6);
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_NEAR(a.metrics["train/loss"].values[i], b.metrics["train/loss"].values[i], 1e-6);
}

// D32 with an evaluation of the untrained model before, which is never the best.
RunRecord with_stated_values(std::vector<double> values) {
  SmallRun run;
  run.settings.train.steps = static_cast<std::int64_t>(values.size()) - 1;
  run.settings.evaluate.every = 1;
  run.settings.best = "val/stated";
  std::int64_t evaluation = 0;
  run.objective.stated = std::move(values);
  run.objective.evaluation = &evaluation;
  Watch watch;
  watch.stop = [&] { return ++evaluation < 0; };
  RunRecord record;
  Trainer(run.parts(), run.settings).run(record, watch);
  return record;
}

TEST(Trainer, TakesNoNaNForTheBestAndLetsNoneHideIt) {
  const double nan = std::nan("");
  const RunRecord record = with_stated_values({0.5, nan, 2.0, 1.5, nan, 1.7});
  EXPECT_EQ(record.checkpoints.at("best").step, 3);
  EXPECT_TRUE(std::isnan(record.metrics.at("val/stated").values[1]));
  EXPECT_EQ(with_stated_values({0.5, nan, nan}).checkpoints.count("best"), 0U);
}

TEST(Trainer, NotesTheWeightsAtEvaluationsAndAsOftenAsAsked) {
  const auto noted = [](std::optional<Duration> every) {
    SmallRun run;
    run.settings.digest_every = every;
    RunRecord record;
    Trainer(run.parts(), run.settings).run(record, {});
    return record.trajectories.at(kWeightTrajectory);
  };
  const Trajectory rare = noted({}), often = noted(Duration(6));
  EXPECT_EQ(rare.parameters, std::vector<std::string>{"table"});
  EXPECT_EQ(rare.steps, (std::vector<std::int64_t>{0, 4, 8, 12}));
  EXPECT_EQ(often.steps, (std::vector<std::int64_t>{0, 4, 6, 8, 12}));
  EXPECT_EQ(often.hashes[1], rare.hashes[1]);
  EXPECT_EQ(std::set(often.hashes.begin(), often.hashes.end()).size(), 5U);
}

TEST(Trainer, StoppedAndContinuedEqualsUninterrupted) {
  SmallRun straight(0.2F);
  RunRecord whole;
  Trainer(straight.parts(), straight.settings).run(whole, {});

  RunRecord record;
  for (std::int64_t stop_at : {5, 8, 12}) {  // 8: right after an evaluation
    SmallRun run(0.2F);
    Trainer trainer(run.parts(), run.settings);
    if (record.steps > 0) trainer.restore(record);
    Watch watch;
    std::int64_t done = record.steps;
    watch.progress = [&](const Progress& p) { done = p.step; };
    watch.stop = [&] { return done >= stop_at; };
    trainer.run(record, watch);
    EXPECT_EQ(record.status, stop_at == 12 ? RunStatus::done : RunStatus::stopped);
    EXPECT_EQ(record.steps, stop_at);
    if (stop_at == 12) {
      EXPECT_EQ(weights(run), weights(straight));
    }
  }
  EXPECT_TRUE(equal(record.metrics, whole.metrics));
  EXPECT_EQ(record.checkpoints.count("best"), whole.checkpoints.count("best"));
}

TEST(Trainer, EndsARunWhoseLossIsNotFiniteAndLeavesItsWeights) {
  SmallRun run;
  run.model.poison = true;
  const auto before = weights(run);
  RunRecord record;
  Trainer trainer(run.parts(), run.settings);
  try {
    trainer.run(record, {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::failed);
    EXPECT_NE(std::string(error.what()).find("step 0: the training loss is nan"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(weights(run), before);
  EXPECT_EQ(record.checkpoints.at("final").step, 0);
  EXPECT_EQ(record.checkpoints.count("best"), 0U)
      << "a loss that is not a number is never the best";
}

TEST(Trainer, MakesNoUpdateFromABatchWithoutTargets) {
  SmallRun run;
  run.data.without_targets = true;
  const auto before = weights(run);
  RunRecord record;
  Trainer(run.parts(), run.settings).run(record, {});
  EXPECT_EQ(weights(run), before);
  EXPECT_EQ(record.metrics.count("train/loss"), 0U);
  EXPECT_EQ(record.metrics.count("val/loss"), 0U);
}

TEST(Trainer, KeepsTheBestCheckpointWhereItIsNotTheLast) {
  SmallRun run;
  run.settings.train.steps = 4;
  run.settings.evaluate.every = 1;
  RunRecord record;
  Trainer(run.parts(), run.settings).run(record, {});
  const Series& series = record.metrics.at("val/loss");
  const auto best =
      std::min_element(series.values.begin(), series.values.end()) - series.values.begin();
  const std::int64_t step = series.steps[static_cast<std::size_t>(best)];
  if (step == 4)
    EXPECT_EQ(record.checkpoints.count("best"), 0U);
  else
    EXPECT_EQ(record.checkpoints.at("best").step, step);
}

/// Counts to five, a reading at a time, and then is done.
class Counter final : public Model {
 public:
  bool learns_by_counting() const override { return true; }
  std::int64_t readings() const override { return 8; }
  Reading fit(BatchStream& train) override {
    Reading reading;
    train.rewind();
    while (const auto batch = train.next())
      for (const std::int32_t target : batch->ids("target").values) reading.weight += target >= 0;
    reading.loss = reading.weight / static_cast<double>(++count_);
    reading.last = count_ == 5;
    return reading;
  }
  Output forward(const Batch& batch, Pass& pass) const override {
    const Shape shape = batch.ids("input").shape.appended(5);
    std::vector<float> logits(static_cast<std::size_t>(shape.elements()));
    for (std::size_t i = 0; i < logits.size(); i += 5) logits[i] = static_cast<float>(count_);
    return {pass.tape().constant(shape, logits), {}};
  }
  void state(StateIo& io) override { io.integer("count", count_); }

 private:
  std::int64_t count_ = 0;
};

TEST(Trainer, MakesAStepOfEachReadingOfAModelThatCounts) {
  SmallRun run;
  Counter model;
  RunParts parts = {run.data, run.objective, model, run.parameters};
  run.settings.evaluate.every = 2;
  RunRecord record;
  Trainer(parts, run.settings).run(record, {});
  EXPECT_EQ(record.status, RunStatus::done);
  EXPECT_EQ(record.steps, 5);
  EXPECT_EQ(record.metrics.at("train/loss").steps, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(record.metrics.at("train/loss").values[3], 0.25);
  EXPECT_EQ(record.metrics.at("val/loss").steps, (std::vector<std::int64_t>{0, 2, 4, 5}));
}

TEST(Trainer, ContinuesAModelThatCountsAfterItsLastReading) {
  SmallRun run;
  RunRecord whole, parts;
  Counter uninterrupted, stopped, continued;
  Trainer({run.data, run.objective, uninterrupted, run.parameters}, run.settings).run(whole, {});
  int calls = 0;
  Watch watch;
  watch.stop = [&] { return ++calls == 4; };
  Trainer({run.data, run.objective, stopped, run.parameters}, run.settings).run(parts, watch);
  EXPECT_EQ(parts.status, RunStatus::stopped);
  EXPECT_EQ(parts.steps, 3);
  Trainer again({run.data, run.objective, continued, run.parameters}, run.settings);
  again.restore(parts);
  again.run(parts, {});
  EXPECT_EQ(parts.status, RunStatus::done);
  EXPECT_TRUE(equal(parts.metrics, whole.metrics));
}

}  // namespace
}  // namespace assay
