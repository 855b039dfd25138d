#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "data/token_stream.h"
#include "interfaces/model.h"
#include "plugins/bundled.h"
#include "support/expect_near.h"
#include "support/golden.h"
#include "support/id_stream.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Numbers = std::vector<double>;

DataSpec hmm_spec(std::int64_t vocabulary) {
  return {{{"input", vocabulary, 4, 0}, {"target", vocabulary, 4, 0}}};
}

struct HmmSubject {
  explicit HmmSubject(const std::string& options, std::int64_t vocabulary = 4,
                      std::uint64_t seed = 1)
      : model(make<Model>("{type: hmm, " + options + "}",
                          {hmm_spec(vocabulary), 4, Scope(parameters), seed})) {
    parameters.initialise(1);
  }
  // Probabilities of the token after each of `ids`, [N, K].
  Numbers after(const std::vector<std::int32_t>& ids,
                const std::vector<std::int32_t>& history = {}) const {
    Batch batch(1);
    const auto put = [&](const char* name, const std::vector<std::int32_t>& values) {
      const auto into = batch.add_ids(name, {1, static_cast<std::int64_t>(values.size())});
      std::copy(values.begin(), values.end(), into.begin());
    };
    put("input", ids);
    if (!history.empty()) put("history", history);
    Tape tape(false);
    Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, "step"));
    Numbers p;
    for (const float logit : model->forward(batch, pass).logits.values())
      p.push_back(std::exp(double{logit}));
    return p;
  }
  State saved() {
    State state;
    StateIo io = StateIo::saving(state);
    model->state(io);
    return state;
  }
  void restore(const State& state) {
    StateIo io = StateIo::restoring(state);
    model->state(io);
  }
  Parameters parameters;
  std::unique_ptr<Model> model;
};

Numbers numbers(const State& state, const char* name) {
  return std::get<Numbers>(state.at(name).data);
}

// All windows of some ids in one batch.
struct HmmStream final : IdStream {
  HmmStream(std::vector<std::int32_t> ids, std::int64_t context)
      : IdStream(std::move(ids), {context, 0}) {}
};

std::vector<std::int32_t> drawn_ids(std::int64_t count, std::uint64_t size) {
  std::vector<std::int32_t> ids;
  const Random random(3, "ids");
  for (std::int64_t i = 0; i < count; ++i)
    ids.push_back(static_cast<std::int32_t>(
        i % 3 == 0 ? 0 : random.below(static_cast<std::uint64_t>(i), size)));
  return ids;
}

// Computed by tests/golden/make_hmm.py from all paths of hidden states.
TEST(Hmm, LearnsAndPredictsAsTheSumOverAllPathsSays) {
  const Golden golden("hmm");
  const auto& json = golden.json();
  State start;
  for (const char* name : {"initial", "transitions", "emissions"}) {
    const auto values = json.at("start").at(name).get<Numbers>();
    start[name] = {{static_cast<std::int64_t>(values.size())}, values};
  }
  start["loss"] = {{}, Numbers{std::numeric_limits<double>::infinity()}};
  for (const auto& expected : json.at("cases")) {
    HmmSubject hmm("states: 3, smoothing: " + expected.at("smoothing").dump());
    hmm.restore(start);
    HmmStream stream(json.at("ids").get<std::vector<std::int32_t>>(), json.at("context"));
    for (const auto& loss : expected.at("losses")) {
      const Reading reading = hmm.model->fit(stream);
      EXPECT_NEAR(reading.loss, loss.get<double>(), 1e-10);
      EXPECT_EQ(reading.weight, 20);  // four sequences of five tokens
    }
    const State learned = hmm.saved();
    for (const char* name : {"initial", "transitions", "emissions"})
      expect_near(numbers(learned, name), expected.at("learned").at(name).get<Numbers>(), 1e-12);
    for (const auto& asked : expected.at("after")) {
      const Numbers all = hmm.after(asked.at("ids").get<std::vector<std::int32_t>>());
      expect_near({all.end() - 4, all.end()}, asked.at("p").get<Numbers>(), 1e-7);  // of float32
    }
  }
}

TEST(Hmm, FitsItsTextBetterWithEachReading) {
  HmmSubject hmm("states: 5, smoothing: 0", 6);
  HmmStream stream(drawn_ids(300, 6), 20);
  double before = std::numeric_limits<double>::infinity();
  for (int reading = 0; reading < 30; ++reading) {
    const double loss = hmm.model->fit(stream).loss;
    EXPECT_LE(loss, before + 1e-9) << reading;
    before = loss;
  }
}

TEST(Hmm, OfOneStateIsTheUnigram) {
  HmmSubject hmm("states: 1, smoothing: 0", 3);
  HmmStream stream({0, 1, 1, 2, 1, 1, 0, 1}, 7);
  hmm.model->fit(stream);
  expect_near(hmm.after({2}), {2.0 / 8, 5.0 / 8, 1.0 / 8}, 1e-7);
}

TEST(Hmm, IsDoneWhenAReadingGainsLessThanTheTolerance) {
  HmmSubject hmm("states: 1, tolerance: 1e-6", 3);  // one state: learned at once
  HmmStream stream({0, 1, 1, 2, 1, 1, 0, 1}, 7);
  EXPECT_FALSE(hmm.model->fit(stream).last);
  EXPECT_FALSE(hmm.model->fit(stream).last);
  EXPECT_TRUE(hmm.model->fit(stream).last);
  EXPECT_EQ(hmm.model->readings(), 50);
}

TEST(Hmm, ReadsTheHistoryBeforeTheWindow) {
  HmmSubject hmm("states: 3");
  HmmStream stream(drawn_ids(200, 4), 20);
  for (int reading = 0; reading < 5; ++reading) hmm.model->fit(stream);
  const Numbers whole = hmm.after({1, 2, 3, 0});
  EXPECT_EQ(hmm.after({3, 0}, {-1, 1, 2}), Numbers(whole.begin() + 8, whole.end()));
}

TEST(Hmm, StartsElsewhereWithAnotherSeed) {
  HmmSubject a("states: 3"), same("states: 3"), other("states: 3", 4, 2);
  EXPECT_EQ(a.after({1}), same.after({1}));
  EXPECT_NE(a.after({1}), other.after({1}));
}

TEST(Hmm, LearnsTheSameAtAnyNumberOfThreads) {
  const auto learned = [](int threads) {
    HmmSubject hmm("states: 4", 6);
    HmmStream stream(drawn_ids(2000, 6), 20);
    Pool(threads).run([&] { hmm.model->fit(stream), hmm.model->fit(stream); });
    return numbers(hmm.saved(), "emissions");
  };
  EXPECT_EQ(learned(1), learned(3));
}

TEST(Hmm, TakesNothingFromATokenThatNoStateEmits) {
  HmmSubject hmm("states: 2, smoothing: 0", 3);
  HmmStream stream({0, 1, 0, 1, 1, 0, 0, 1}, 7);  // no 2
  for (int reading = 0; reading < 3; ++reading) hmm.model->fit(stream);
  const Numbers p = hmm.after({2, 0});
  EXPECT_EQ(p[2], 0);
  EXPECT_NEAR(p[3] + p[4], 1, 1e-6);
}

TEST(Hmm, RefusesADamagedState) {
  HmmSubject hmm("states: 2", 3);
  const State good = hmm.saved();
  const auto message = [&](const char* name, const Numbers& values) {
    State state = good;
    state[name] = {{static_cast<std::int64_t>(values.size())}, values};
    return thrown([&] { hmm.restore(state); });
  };
  const std::string damaged = "[5] model 'hmm': the saved probabilities are damaged";
  EXPECT_EQ(message("initial", {0.5, 0.5}), "");
  EXPECT_EQ(message("initial", {0.5, 0.25, 0.25}), damaged);
  EXPECT_EQ(message("initial", {0.5, 0.4}), damaged);
  EXPECT_EQ(message("transitions", {1.5, -0.5, 0, 1}), damaged);
  EXPECT_EQ(message("emissions", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}), damaged);
  EXPECT_EQ(message("transitions", {1, std::nan(""), 0, 1}), damaged);
}

TEST(Hmm, RefusesDataThatItCannotModel) {
  HmmSubject hmm("states: 2", 3);
  EXPECT_EQ(thrown([&] { hmm.after({3}); }),
            "[5] model 'hmm': token 3 is outside the vocabulary of 3");
  class Other final : public BatchStream {
    void rewind() override {}
    std::optional<Batch> next() override {
      Batch batch(1);
      batch.add_ids("input", {1, 2});
      batch.add_ids("target", {1, 2})[0] = 2;
      return batch;
    }
  } other;
  EXPECT_EQ(thrown([&] { hmm.model->fit(other); }),
            "[2] model 'hmm' predicts the next of the tokens that it reads, and the targets of "
            "this dataset are others");
}

}  // namespace
}  // namespace assay
