// The suites of tokenizers, datasets, objectives, schedulers and samplers must find what is wrong:
// negative controls.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "autograd/ops.h"
#include "contract/contract.h"

namespace assay {
namespace {

bool found(const Failures& failures, const std::string& failure) {
  return std::find(failures.begin(), failures.end(), failure) != failures.end();
}

/// Ids are bytes; `drops` loses every carriage return; `forgets` saves nothing.
class Bytes final : public Tokenizer {
 public:
  explicit Bytes(bool drops, bool forgets) : drops_(drops), forgets_(forgets) {}
  void train(std::string_view) override { shift_ = 1; }
  std::int64_t vocabulary() const override { return 257; }
  std::vector<std::int32_t> encode(std::string_view text, const TextSource&) const override {
    std::vector<std::int32_t> ids;
    for (const char c : text)
      if (!drops_ || c != '\r')
        ids.push_back(static_cast<std::int32_t>(static_cast<unsigned char>(c) + shift_));
    return ids;
  }
  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) text += static_cast<char>(id - shift_);
    return text;
  }
  bool takes_any_bytes() const override { return true; }
  void state(StateIo& io) override {
    if (!forgets_) io.integer("shift", shift_);
  }

 private:
  bool drops_, forgets_;
  std::int64_t shift_ = 0;
};

Failures tokenizer_failures(bool drops, bool forgets) {
  return check_tokenizer(
      [=](const TokenizerBuild&) { return std::make_unique<Bytes>(drops, forgets); });
}

TEST(TokenizerContract, HoldsForBytes) {
  EXPECT_EQ(tokenizer_failures(false, false), Failures{});
}

TEST(TokenizerContract, FindsOneThatLosesCharacters) {
  EXPECT_TRUE(found(tokenizer_failures(true, false),
                    "decode(encode(text)) is not the text that it was trained on"));
}

TEST(TokenizerContract, FindsBytesThatAreNotDecodedToThemselves) {
  const Failures failures = tokenizer_failures(true, false);
  const auto bytes = std::find_if(failures.begin(), failures.end(), [](const std::string& failure) {
    return failure.starts_with("takes_any_bytes() is true, but these are decoded differently: ");
  });
  ASSERT_NE(bytes, failures.end());
  EXPECT_NE(bytes->find(" 0d"), std::string::npos);
}

TEST(TokenizerContract, FindsOneThatForgetsWhatItLearnt) {
  EXPECT_EQ(tokenizer_failures(false, true),
            Failures{"one restored from its state encodes the same text differently"});
}

class Schedule final : public Scheduler {
 public:
  explicit Schedule(std::function<double(std::int64_t)> rate) : rate_(std::move(rate)) {}
  double learning_rate(std::int64_t step) const override { return rate_(step); }

 private:
  std::function<double(std::int64_t)> rate_;
};

Failures scheduler_failures(const std::function<double(std::int64_t)>& rate) {
  return check_scheduler(
      [rate](const SchedulerBuild&) { return std::make_unique<Schedule>(rate); });
}

TEST(SchedulerContract, HoldsForAConstant) {
  EXPECT_EQ(scheduler_failures([](std::int64_t) { return 0.1; }), Failures{});
}

TEST(SchedulerContract, FindsAFirstUpdateThatChangesNothing) {
  EXPECT_EQ(scheduler_failures([](std::int64_t k) { return k == 0 ? 0 : 0.1; }),
            Failures{"update 0 has no learning rate, so that it changes nothing"});
}

TEST(SchedulerContract, FindsOneThatRisesAgainAfterTheEnd) {
  EXPECT_EQ(scheduler_failures([](std::int64_t k) { return k <= 400 ? 0.5 : 1; }),
            Failures{"after the end the learning rate still changes: 0.5 at 400, 1 at 401"});
}

TEST(SchedulerContract, FindsANegativeRate) {
  EXPECT_EQ(scheduler_failures([](std::int64_t k) { return k == 9 ? -0.5 : 0.5; }),
            Failures{"update 9 has learning rate -0.5"});
}

TEST(SchedulerContract, FindsOneThatCountsItsCalls) {
  auto calls = std::make_shared<int>(0);
  EXPECT_TRUE(found(scheduler_failures([calls](std::int64_t) { return 1.0 + ++*calls; }),
                    "the learning rate depends on what was asked before: it must be a function of "
                    "the step alone"));
}

class Logits final : public Sampler {
 public:
  explicit Logits(void (*change)(std::span<float>)) : change_(change) {}
  void apply(std::span<float> logits) const override { change_(logits); }

 private:
  void (*change_)(std::span<float>);
};

Failures sampler_failures(void (*change)(std::span<float>)) {
  return check_sampler([change](const SamplerBuild&) { return std::make_unique<Logits>(change); });
}

TEST(SamplerContract, HoldsForOneThatChangesNothing) {
  EXPECT_EQ(sampler_failures([](std::span<float>) {}), Failures{});
}

TEST(SamplerContract, FindsOneThatAllowsWhatIsForbidden) {
  EXPECT_TRUE(
      found(sampler_failures([](std::span<float> l) { std::fill(l.begin(), l.end(), 0.0F); }),
            "one allowed token: a forbidden token becomes 0"));
}

TEST(SamplerContract, FindsOneThatForbidsEverything) {
  EXPECT_TRUE(found(sampler_failures([](std::span<float> l) {
                      std::fill(l.begin(), l.end(), -std::numeric_limits<float>::infinity());
                    }),
                    "equal logits: no token is left"));
}

TEST(SamplerContract, FindsAnOverflow) {
  EXPECT_TRUE(found(sampler_failures([](std::span<float> l) {
                      for (float& x : l) x *= 2;
                    }),
                    "the largest logits: 3.4028235e+38 becomes inf"));
}

enum class LossFault { none, averages, counts_ignored, counts_calls };

class Loss final : public Objective {
 public:
  explicit Loss(LossFault fault) : fault_(fault) {}
  SummedLoss loss(const Output& output, const Batch& batch, Pass&) const override {
    SummedLoss loss = cross_entropy(output.logits, batch.ids("target").values);
    if (fault_ == LossFault::averages)
      loss.sum = scale(loss.sum, 1.0F / static_cast<float>(batch.size()));
    if (fault_ == LossFault::counts_ignored)
      loss.weight = static_cast<double>(batch.ids("target").values.size());
    if (fault_ == LossFault::counts_calls && ++calls_ > 6) loss.sum = scale(loss.sum, 2);
    return loss;
  }

 private:
  LossFault fault_;
  mutable std::atomic<int> calls_ = 0;
};

Failures objective_failures(LossFault fault) {
  return check_objective([fault](const ObjectiveBuild&) { return std::make_unique<Loss>(fault); });
}

TEST(ObjectiveContract, HoldsForSummedCrossEntropy) {
  EXPECT_EQ(objective_failures(LossFault::none), Failures{});
}

TEST(ObjectiveContract, FindsAMeanOverRows) {
  const Failures failures = objective_failures(LossFault::averages);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_TRUE(failures[0].starts_with("the loss of a batch is ")) << failures[0];
  EXPECT_TRUE(failures[0].ends_with(": it must be a sum over rows")) << failures[0];
}

TEST(ObjectiveContract, FindsIgnoredTargetsThatWeigh) {
  EXPECT_EQ(objective_failures(LossFault::counts_ignored),
            Failures{"with every target ignored the loss is 0, its weight 30"});
}

TEST(ObjectiveContract, FindsOneThatDependsOnWhatWasAskedBefore) {
  EXPECT_TRUE(
      found(objective_failures(LossFault::counts_calls),
            "the same batch, again and on several threads at once, has another loss or gradient"));
}

enum class DataFault { none, other_digest, other_batch, outside_vocabulary, skips_nothing };

/// Windows of 0, 1, 2, ... modulo 10.
class Counted final : public Dataset {
 public:
  Counted(DataFault fault, int copy) : fault_(fault), copy_(copy) {}
  void load() override {}
  void tokenize(const Tokenizer*) override {}
  DataSpec spec(const Request& r) const override {
    return {{{"input", fault_ == DataFault::outside_vocabulary ? 9 : 10, r.context, 0},
             {"target", 10, r.context, 0}}};
  }
  std::int64_t examples(Split, const Request&) const override { return 50; }
  Batch batch(Split, std::span<const Example> examples, const Request& r) const override {
    const auto rows = static_cast<std::int64_t>(examples.size());
    Batch batch(rows);
    const auto input = batch.add_ids("input", {rows, r.context});
    for (std::size_t i = 0; i < input.size(); ++i)
      input[i] = static_cast<std::int32_t>(
          (examples[i / static_cast<std::size_t>(r.context)].index + static_cast<std::int64_t>(i)) %
          10);
    if (fault_ == DataFault::other_batch) input[0] = copy_;
    const auto target = batch.add_ids("target", {rows, r.context});
    for (std::size_t i = 0; i < target.size(); ++i) {
      const auto row = i / static_cast<std::size_t>(r.context);
      const bool skipped = static_cast<std::int64_t>(i) % r.context < examples[row].skip;
      target[i] = skipped && fault_ != DataFault::skips_nothing ? -1 : input[i];
    }
    return batch;
  }
  std::vector<Example> cover(Split, const Request&) const override { return {{0, 0}, {40, 3}}; }
  std::string digest() const override {
    return fault_ == DataFault::other_digest ? std::to_string(copy_) : "same";
  }

 private:
  DataFault fault_;
  int copy_;
};

Failures dataset_failures(DataFault fault) {
  auto copies = std::make_shared<int>(0);
  return check_dataset(
      [=](const DatasetBuild&) { return std::make_unique<Counted>(fault, (*copies)++); }, ".");
}

TEST(DatasetContract, HoldsForWindowsOfAStream) {
  EXPECT_EQ(dataset_failures(DataFault::none), Failures{});
}

TEST(DatasetContract, FindsADigestThatIsNotTheDatas) {
  EXPECT_EQ(dataset_failures(DataFault::other_digest),
            Failures{"loaded again, it has another digest"});
}

TEST(DatasetContract, FindsBatchesThatDependOnMoreThanTheExamples) {
  EXPECT_TRUE(found(dataset_failures(DataFault::other_batch),
                    "train: the same examples give another 'input'"));
}

TEST(DatasetContract, FindsIdsOutsideTheVocabulary) {
  EXPECT_TRUE(found(dataset_failures(DataFault::outside_vocabulary),
                    "train: 'input' has id 9, but a vocabulary of 9"));
}

TEST(DatasetContract, FindsTargetsThatShouldHaveBeenSkipped) {
  EXPECT_TRUE(found(dataset_failures(DataFault::skips_nothing),
                    "train: an example that skips 3 targets has target 0 at position 0; wanted a "
                    "negative one"));
}

struct Untold {
  std::int64_t width = 0;
  double Rate = 1;
  static void describe(OptionList<Untold>& o) {
    o.add("width", &Untold::width, "Width.").at_least(1);
    o.add("Rate", &Untold::Rate, "");
  }
};

TEST(OptionsContract, FindsBadNamesMissingHelpAndDefaultsOutOfBounds) {
  PluginEntry entry;
  entry.facts.kind = "model";
  entry.facts.name = "untold";
  entry.options = describe_options<Untold>();
  entry.make_options = [] { return std::make_shared<Untold>(); };
  const Failures failures = check_options(entry);
  ASSERT_EQ(failures.size(), 3U);
  EXPECT_EQ(failures[0], "option 'Rate' has no help");
  EXPECT_EQ(failures[1], "option 'Rate' is not in lower case with underscores");
  EXPECT_TRUE(failures[2].starts_with("the defaults break its own rules: model.width"))
      << failures[2];
}

}  // namespace
}  // namespace assay
