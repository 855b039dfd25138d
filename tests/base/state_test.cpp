#include "base/state.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace assay {
namespace {

// One of each entry, as a plugin would keep them.
struct Kept {
  std::vector<float> weights = {1.5f, -2, 0};
  std::vector<double> moments = {0.1, 0.2};
  std::vector<std::int64_t> order = {3, 1, 2};
  std::int64_t updates = 7;
  double scale = 0.125;
  std::string tokens = std::string("a\0\xFF", 3);

  void state(StateIo& io) {
    io.reals("weights", weights, {1, 3});
    io.reals("moments", moments);
    io.integers("order", order);
    io.integer("updates", updates);
    io.real("scale", scale);
    io.text("tokens", tokens);
  }
};

State saved(Kept kept) {
  State state;
  StateIo io = StateIo::saving(state);
  EXPECT_FALSE(io.restores());
  kept.state(io);
  return state;
}

std::string restore_error(const State& state) {
  try {
    Kept kept;
    StateIo io = StateIo::restoring(state);
    kept.state(io);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::data);
    return e.what();
  }
  return "restored";
}

TEST(StateIo, RestoresExactlyWhatWasSaved) {
  const State state = saved(Kept{});
  Kept other;
  other.weights = {9, 9, 9};
  other.moments.clear();
  other.order = {0};
  other.updates = 0;
  other.scale = 0;
  other.tokens = "z";
  StateIo io = StateIo::restoring(state);
  EXPECT_TRUE(io.restores());
  other.state(io);
  const Kept first;
  EXPECT_EQ(other.weights, first.weights);
  EXPECT_EQ(other.moments, first.moments);
  EXPECT_EQ(other.order, first.order);
  EXPECT_EQ(other.updates, first.updates);
  EXPECT_EQ(other.scale, first.scale);
  EXPECT_EQ(other.tokens, first.tokens);
}

TEST(StateIo, SavesShapes) {
  const State state = saved(Kept{});
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(state.at("weights").shape, (Shape{1, 3}));
  EXPECT_EQ(state.at("moments").shape, (Shape{2}));
  EXPECT_EQ(state.at("order").shape, (Shape{3}));
  EXPECT_EQ(state.at("updates").shape, Shape{});
  EXPECT_EQ(state.at("scale").shape, Shape{});
  EXPECT_EQ(state.at("tokens").shape, (Shape{3}));
}

TEST(StateIo, RefusesAMissingEntryByName) {
  State state = saved(Kept{});
  state.erase("order");
  EXPECT_EQ(restore_error(state), "state 'order' is missing: saved by another version?");
}

TEST(StateIo, RefusesAnotherCountWhereTheCountIsFixed) {
  State state = saved(Kept{});
  state["weights"].data = std::vector<float>{1};
  EXPECT_EQ(restore_error(state), "state 'weights': wanted 3 numbers, got 1");
}

TEST(StateIo, RefusesAnotherTypeByName) {
  const auto error_with = [](const char* name, auto data) {
    State state = saved(Kept{});
    state[name].data = data;
    return restore_error(state);
  };
  const std::vector<double> doubles = {1};
  EXPECT_EQ(error_with("weights", doubles), "state 'weights': wanted float32, got another type");
  EXPECT_EQ(error_with("moments", std::string("x")),
            "state 'moments': wanted float64, got another type");
  EXPECT_EQ(error_with("order", doubles), "state 'order': wanted int64, got another type");
  EXPECT_EQ(error_with("updates", doubles), "state 'updates': wanted int64, got another type");
  EXPECT_EQ(error_with("scale", std::string("x")),
            "state 'scale': wanted float64, got another type");
  EXPECT_EQ(error_with("tokens", doubles), "state 'tokens': wanted text, got another type");
}

TEST(StateIo, RefusesSeveralNumbersWhereOneIsWanted) {
  State state = saved(Kept{});
  state["updates"].data = std::vector<std::int64_t>{1, 2};
  EXPECT_EQ(restore_error(state), "state 'updates': wanted one number, got 2");
  state = saved(Kept{});
  state["scale"].data = std::vector<double>{};
  EXPECT_EQ(restore_error(state), "state 'scale': wanted one number, got 0");
}

}  // namespace
}  // namespace assay
