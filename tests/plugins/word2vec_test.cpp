// Model word2vec and objective negative_sampling, which work together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/parallel.h"
#include "interfaces/model.h"
#include "interfaces/objective.h"
#include "nn/pass.h"
#include "plugins/bundled.h"
#include "support/golden.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;

DataSpec spec_of(std::int64_t vocabulary, std::span<const std::int64_t> occurrences = {}) {
  return {{{"input", vocabulary, 8, 0, occurrences}, {"target", vocabulary, 8, 0, occurrences}}};
}

std::unique_ptr<Objective> sampling(const std::string& options, const DataSpec& data) {
  return make<Objective>("{type: negative_sampling" + options + "}", {data});
}

// Rows of equal length; every target counts but those in `ignored`.
Batch texts(const std::vector<Ids>& rows, const std::set<std::size_t>& ignored = {}) {
  const auto size = static_cast<std::int64_t>(rows.size()),
             length = static_cast<std::int64_t>(rows[0].size());
  Batch batch(size);
  const auto input = batch.add_ids("input", {size, length});
  const auto target = batch.add_ids("target", {size, length});
  for (std::size_t i = 0; i < input.size(); ++i) {
    input[i] = rows[i / rows[0].size()][i % rows[0].size()];
    target[i] = ignored.count(i) ? -1 : 0;
  }
  return batch;
}

// (context, true word) of every pair that counts.
using ContextPairs = std::multiset<std::pair<Ids, std::int32_t>>;
ContextPairs pairs_of(const Batch& batch) {
  const auto context = batch.ids("context"), candidates = batch.ids("candidates");
  const auto labels = batch.reals("label").values;
  const auto contexts = static_cast<std::size_t>(context.shape[-1]);
  const auto each = static_cast<std::size_t>(candidates.shape[-1]);
  ContextPairs pairs;
  for (std::size_t at = 0; at < labels.size(); at += each) {
    if (labels[at] < 0) continue;
    Ids near;
    for (std::size_t i = 0; i < contexts; ++i)
      if (const std::int32_t id = context.values[at / each * contexts + i]; id >= 0)
        near.push_back(id);
    pairs.insert({near, candidates.values[at]});
  }
  return pairs;
}

TEST(NegativeSampling, PairsAWordWithEachAroundIt) {
  const auto objective = sampling(", window: 1, subsample: 0", spec_of(9));
  const Batch batch = objective->prepare(texts({{1, 2, 3}}), Random(1, "step"));
  EXPECT_EQ(pairs_of(batch), (ContextPairs{{{1}, 2}, {{2}, 1}, {{2}, 3}, {{3}, 2}}));
}

TEST(NegativeSampling, OfCbowGivesAWordAllAroundIt) {
  const auto objective = sampling(", variant: cbow, window: 1, subsample: 0", spec_of(9));
  const Batch batch = objective->prepare(texts({{1, 2, 3}}), Random(1, "step"));
  EXPECT_EQ(pairs_of(batch), (ContextPairs{{{2}, 1}, {{1, 3}, 2}, {{2}, 3}}));
}

TEST(NegativeSampling, ReachesAsFarAsTheWindowAndNotBeyondTheRow) {
  const auto objective = sampling(", variant: cbow, window: 2, subsample: 0", spec_of(9));
  std::set<std::size_t> widths;
  for (std::uint64_t step = 0; step < 40; ++step) {
    const Batch batch =
        objective->prepare(texts({{1, 2, 3, 4, 5}, {6, 7, 8, 7, 6}}), Random(1, "step", step));
    for (const auto& [near, word] : pairs_of(batch)) {
      if (word != 3) continue;
      widths.insert(near.size());
      EXPECT_EQ(near, near.size() == 2 ? (Ids{2, 4}) : (Ids{1, 2, 4, 5}));
    }
  }
  EXPECT_EQ(widths, (std::set<std::size_t>{2, 4}));  // one or two on either side
}

TEST(NegativeSampling, LeavesOutPlacesWhoseTargetIsIgnored) {
  const auto objective = sampling(", window: 1, subsample: 0", spec_of(9));
  const Batch batch = objective->prepare(texts({{1, 2, 3}}, {1}), Random(1, "step"));
  EXPECT_EQ(pairs_of(batch), (ContextPairs{{{1}, 2}, {{3}, 2}}));
}

TEST(NegativeSampling, DrawsOthersByTheirCountToThePower) {
  const std::vector<std::int64_t> occurrences = {160000, 10000, 0, 625, 1};
  const auto objective =
      sampling(", window: 1, negatives: 20, subsample: 0, power: 0.75", spec_of(5, occurrences));
  std::map<std::int32_t, double> drawn;
  double total = 0;
  for (std::uint64_t step = 0; step < 2000; ++step) {
    const Batch batch = objective->prepare(texts({{4, 4}}), Random(1, "step", step));
    const auto candidates = batch.ids("candidates").values;
    const auto labels = batch.reals("label").values;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] != 0) continue;
      ++drawn[candidates[i]], ++total;
      EXPECT_NE(candidates[i], 4);  // the true word
    }
  }
  // 8000, 1000 and 125 of 9125; 80,000 draws: three standard errors.
  EXPECT_NEAR(drawn[0] / total, 8000.0 / 9125, 0.0035);
  EXPECT_NEAR(drawn[1] / total, 1000.0 / 9125, 0.0034);
  EXPECT_NEAR(drawn[3] / total, 125.0 / 9125, 0.0013);
  EXPECT_EQ(drawn.count(2), 0U);  // never seen
}

TEST(NegativeSampling, LeavesFrequentWordsOutNowAndThen) {
  const std::vector<std::int64_t> occurrences = {900, 100};
  const auto objective =
      sampling(", variant: cbow, window: 1, subsample: 0.1", spec_of(2, occurrences));
  double kept = 0;
  for (std::uint64_t step = 0; step < 4000; ++step) {
    const Batch batch = objective->prepare(texts({{0, 1}}), Random(1, "step", step));
    kept += pairs_of(batch).empty() ? 0 : 1;  // word 1 is always kept: 0.1 / 0.1
  }
  // sqrt(0.1 / 0.9) + 0.1 / 0.9 = 0.4444; three standard errors.
  EXPECT_NEAR(kept / 4000, 0.4444, 0.0236);
}

TEST(NegativeSampling, DrawsTheSameAtAnyNumberOfThreads) {
  const auto objective = sampling("", spec_of(9));
  std::vector<Ids> rows;
  for (std::int32_t row = 0; row < 40; ++row)
    rows.push_back({row % 9, 1, 2, (row * 5) % 9, 4, 5, 6, 7});
  const auto candidates = [&](int threads) {
    Ids ids;
    Pool(threads).run([&] {
      const Batch batch = objective->prepare(texts(rows), Random(1, "step"));
      const auto drawn = batch.ids("candidates").values;
      ids.assign(drawn.begin(), drawn.end());
    });
    return ids;
  };
  EXPECT_EQ(candidates(1), candidates(4));
}

// Computed by tests/golden/make_word2vec.py from the formulas, in float64.
TEST(Word2vec, HasLossAndGradientsOfTheFormulas) {
  const Golden golden("word2vec");
  const auto& json = golden.json();
  const auto words = json.at("token").at("shape")[0].get<std::int64_t>();
  const auto width = json.at("token").at("shape")[1].get<std::int64_t>();
  const auto pairs = json.at("pairs").get<std::int64_t>();
  const DataSpec data = spec_of(words);
  for (const auto& expected : json.at("cases")) {
    const auto contexts = expected.at("contexts").get<std::int64_t>();
    const auto each = expected.at("candidates_each").get<std::int64_t>();
    const auto objective = sampling(", negatives: " + std::to_string(each - 1), data);
    Parameters parameters;
    const auto model = make<Model>("{type: word2vec, width: " + std::to_string(width) + "}",
                                   {data, 8, Scope(parameters)});
    parameters.initialise(1);
    for (const char* name : {"token", "output"}) {
      const auto values = json.at(name).at("data").get<std::vector<float>>();
      std::copy(values.begin(), values.end(), parameters.values(parameters.find(name)).begin());
    }
    Batch batch(1);
    const auto fill = [&](const char* name, auto into) {
      const auto from = expected.at(name).get<std::vector<double>>();
      std::transform(from.begin(), from.end(), into.begin(), [](double value) {
        return static_cast<typename decltype(into)::value_type>(value);
      });
    };
    fill("context", batch.add_ids("context", {1, pairs, contexts}));
    fill("candidates", batch.add_ids("candidates", {1, pairs, each}));
    fill("label", batch.add_reals("label", {1, pairs, each}));
    std::vector<float> gradient(static_cast<std::size_t>(parameters.buffer_size()));
    Tape tape;
    Pass pass(tape, parameters, gradient, Mode::train, Random(1, "step"));
    const SummedLoss loss = objective->loss(model->forward(batch, pass), batch, pass);
    tape.backward(loss.sum);
    EXPECT_NEAR(loss.sum.values()[0], expected.at("loss").get<double>(), 1e-5 * 20);
    EXPECT_EQ(loss.weight, 4);  // of five pairs one is of nothing
    for (const char* name : {"token", "output"}) {
      const auto wanted =
          expected.at(std::string("d_") + name).at("data").get<std::vector<float>>();
      expect_close(parameters.slice(gradient, parameters.find(name)), wanted, kGradientTolerance);
    }
  }
}

TEST(Word2vec, BeforeTrainingKnowsNothing) {
  const DataSpec data = spec_of(9);
  const auto objective = sampling(", negatives: 3, subsample: 0", data);
  Parameters parameters;
  const auto model = make<Model>("{type: word2vec, width: 4}", {data, 8, Scope(parameters)});
  parameters.initialise(1);
  const Batch batch = objective->prepare(texts({{1, 2, 3, 1}}), Random(1, "step"));
  Tape tape(false);
  Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, "step"));
  const Output output = model->forward(batch, pass);
  double scored = 0;
  for (const float label : batch.reals("label").values) scored += label < 0 ? 0 : 1;
  EXPECT_NEAR(objective->loss(output, batch, pass).sum.values()[0], scored * std::log(2.0), 1e-4);
  EXPECT_EQ(objective->figures(output, batch)[0].sum, 0);  // equal scores: none is first
}

TEST(NegativeSampling, SaysWhichDataItNeeds) {
  const DataSpec other = {{{"input", 9, 8, 0}, {"target", 2, 0, 0}}};
  EXPECT_EQ(thrown([&] { sampling("", other); }),
            "[2] test.yaml:1:1: objective 'negative_sampling' is about the words around a word: "
            "wanted data with input and target of one vocabulary, such as dataset 'text'\n"
            "  {type: negative_sampling}\n"
            "  ^");
}

}  // namespace
}  // namespace assay
