#include "data/token_stream.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/thrown.h"

namespace assay {
namespace {

TokenStream counting(std::int64_t tokens) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(tokens));
  std::iota(ids.begin(), ids.end(), 100);
  return TokenStream(std::move(ids), "play.txt: the training split");
}

std::vector<std::int32_t> values(const Batch& batch, const char* name) {
  const auto field = batch.ids(name);
  return {field.values.begin(), field.values.end()};
}

using Ids = std::vector<std::int32_t>;

TEST(TokenStream, HasTokensMinusContextWindows) {
  EXPECT_EQ(counting(9).windows(8), 1);
  EXPECT_EQ(counting(10).windows(8), 2);
}

TEST(TokenStream, WithoutAWindowNamesItselfItsTokensAndTheContext) {
  for (const std::int64_t tokens : {0, 1, 8}) {
    const std::string message = thrown([&] { counting(tokens).windows(8); });
    EXPECT_EQ(
        message,
        "[5] play.txt: the training split has " + std::to_string(tokens) +
            (tokens == 1 ? " token" : " tokens") +
            ", but a window of context 8 and its last target take 9; use more text, a smaller "
            "context, or another share for validation");
    EXPECT_EQ(message, thrown([&] { counting(tokens).cover({8, 0}); }));
    EXPECT_EQ(message, thrown([&] { counting(tokens).batch({}, {8, 0}); }));
  }
}

TEST(TokenStream, PredictsTheNextToken) {
  const std::vector<Example> examples = {{0, 0}, {6, 0}};
  const Batch batch = counting(10).batch(examples, {3, 0});
  EXPECT_EQ(batch.ids("input").shape, (Shape{2, 3}));
  EXPECT_EQ(values(batch, "input"), (Ids{100, 101, 102, 106, 107, 108}));
  EXPECT_EQ(values(batch, "target"), (Ids{101, 102, 103, 107, 108, 109}));
  EXPECT_FALSE(batch.has("history"));
}

TEST(TokenStream, MarksSkippedTargets) {
  const std::vector<Example> examples = {{6, 2}};
  EXPECT_EQ(values(counting(10).batch(examples, {3, 0}), "target"), (Ids{-1, -1, 109}));
}

TEST(TokenStream, GivesHistoryWithNothingBeforeTheStream) {
  const std::vector<Example> examples = {{0, 0}, {1, 0}, {5, 0}};
  EXPECT_EQ(values(counting(10).batch(examples, {3, 2}), "history"),
            (Ids{-1, -1, -1, 100, 103, 104}));
}

TEST(TokenStream, RefusesAWindowThatThereIsNot) {
  const std::vector<Example> examples = {{7, 0}};
  EXPECT_EQ(thrown([&] {
              counting(10).batch(examples, {3, 0});
            }),
            "[5] play.txt: the training split: no window 7 of context 3: there are 7");
}

TEST(TokenStream, CoversEachTargetOnceWhateverSizeContextAndHistory) {
  for (std::int64_t tokens = 2; tokens < 30; ++tokens)
    for (std::int64_t context = 1; context < tokens; ++context)
      for (std::int64_t history = 0; history < tokens - 1; ++history) {
        const TokenStream stream = counting(tokens);
        const Request request = {context, history};
        const Batch batch = stream.batch(stream.cover(request), request);
        Ids counted;
        for (const std::int32_t id : values(batch, "target"))
          if (id >= 0) counted.push_back(id);
        Ids expected;
        for (std::int64_t i = history + 1; i < tokens; ++i)
          expected.push_back(static_cast<std::int32_t>(100 + i));
        ASSERT_EQ(counted, expected)
            << tokens << " tokens, context " << context << ", history " << history;
      }
}

TEST(TokenStream, CannotCoverATextThatHistoryUsesUp) {
  EXPECT_EQ(thrown([] {
              counting(10).cover({3, 9});
            }),
            "[5] play.txt: the training split has 10 tokens, none of which has 10 before it; use "
            "more text or a smaller "
            "context");
}

}  // namespace
}  // namespace assay
