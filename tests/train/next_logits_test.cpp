#include "train/next_logits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "nn/transformer.h"
#include "support/thrown.h"
#include "train/beam_search.h"
#include "train/generate.h"

namespace assay {
namespace {

using TokenIds = NextLogits::Ids;
constexpr std::int64_t kTokens = 11, kContext = 70;

/// A decoder of two layers with random weights.
class Decoder final : public Model {
 public:
  explicit Decoder(const TransformerOptions& asked, bool caches = true) : caches_(caches) {
    TransformerOptions options = asked;
    options.layers = 2, options.vocabulary = kTokens, options.context = kContext;
    options.block.width = 16, options.block.heads = 4;
    Scope scope(parameters);
    layers_ = Transformer(scope, options);
    OutputOptions output;
    output.width = 16, output.classes = kTokens;
    head_ = OutputLayer(scope / "head", output);
    parameters.initialise(3);
  }
  Output forward(const Batch& batch, Pass& pass) const override {
    const auto input = batch.ids("input");
    return {head_(layers_(input.values, input.shape, {}, pass), pass), {}};
  }
  std::int64_t longest_input() const override { return kContext; }
  bool caches() const override { return caches_; }

  Parameters parameters;

 private:
  bool caches_;
  Transformer layers_;
  OutputLayer head_;
};

TokenIds some_ids(std::int64_t count, std::uint64_t seed) {
  TokenIds ids;
  for (std::int64_t i = 0; i < count; ++i)
    ids.push_back(static_cast<std::int32_t>(Random(seed, "ids").uniform(i) * kTokens));
  return ids;
}

std::vector<TransformerOptions> many_options() {
  std::vector<TransformerOptions> all;
  for (const BlockOrder order : {BlockOrder::pre_norm, BlockOrder::post_norm, BlockOrder::parallel})
    for (const PositionKind positions : {PositionKind::learned, PositionKind::rotary,
                                         PositionKind::alibi, PositionKind::relative}) {
      TransformerOptions options;
      options.block.order = order;
      options.positions = positions;
      options.block.window = all.size() % 2 ? 5 : 0;
      options.block.key_heads = all.size() % 3 ? 2 : 4;
      options.block.qk_norm = all.size() % 4 == 0;
      if (all.size() % 5 == 0) options.block.experts.experts = 3;
      all.push_back(options);
    }
  return all;
}

// The prompt in parts, then token by token with the cache, then beyond the context.
TEST(NextLogits, AreThoseOfComputingEverythingAnewInOnePiece) {
  for (const TransformerOptions& options : many_options()) {
    const Decoder cached(options), plain(options, false);
    NextLogits fast(cached, cached.parameters, 90), slow(plain, plain.parameters, 90);
    TokenIds ids = some_ids(40, 1);
    for (int i = 0; i < 40; ++i) {
      const auto a = fast(ids);
      const auto b = slow(ids);
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 1e-5) << ids.size();
      ids.push_back(some_ids(1, static_cast<std::uint64_t>(i) + 2)[0]);
    }
  }
}

std::vector<TokenIds> drawn(const Decoder& model, std::size_t count) {
  std::vector<TokenIds> found(count);
  std::vector<Random> draws;
  for (std::size_t i = 0; i < count; ++i) draws.emplace_back(5, "draw", i);
  const TokenIds prompt = some_ids(45, 1);
  // The first of each three is longer than the others: what is left goes on by itself.
  generate(model, model.parameters, {}, {prompt, {}}, 40, draws,
           [&](std::size_t which, const DrawnToken& token) {
             found[which].push_back(token.id);
             std::int32_t bits;
             const auto value = static_cast<float>(token.log_probability);
             std::memcpy(&bits, &value, sizeof bits);
             found[which].push_back(bits);
             return which % 3 == 0 || found[which].size() < 20;
           });
  return found;
}

TEST(Generate, GivesTheSameBitsAtAnyNumberOfThreads) {
  const Decoder model({});
  std::vector<std::vector<TokenIds>> found;
  for (const int threads : {1, 2, 3, 4})
    Pool(threads).run([&] { found.push_back(drawn(model, 5)); });
  for (const auto& other : found) EXPECT_EQ(other, found[0]);
}

// D35
TEST(Generate, GivesASequenceTheSameBitsWhateverItsMates) {
  for (const TransformerOptions& options : many_options()) {
    const Decoder model(options);
    const std::vector<TokenIds> ten = drawn(model, 10);
    for (const std::size_t fewer : {1, 2, 3, 9}) {
      const std::vector<TokenIds> some = drawn(model, fewer);
      for (std::size_t i = 0; i < fewer; ++i) EXPECT_EQ(some[i], ten[i]) << i << " of " << fewer;
    }
  }
}

TEST(BeamSearch, WithACacheFindsWhatItFindsWithout) {
  const Decoder cached({}), plain({}, false);
  BeamOptions options;
  options.width = 4, options.length = 30, options.end = 3;
  const TokenIds prompt = some_ids(50, 1);  // beyond the context in the end
  const auto a = beam_search(cached, cached.parameters, {prompt, {}}, options);
  const auto b = beam_search(plain, plain.parameters, {prompt, {}}, options);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].ids, b[i].ids);
    EXPECT_NEAR(a[i].score, b[i].score, 1e-5);
  }
}

TEST(NextLogits, SayWhichIdIsWrongInAnyPart) {
  const Decoder model({});
  TokenIds ids = some_ids(66, 1);
  ids[40] = 99;
  Pool(3).run([&] {
    const std::string message = thrown([&] { NextLogits(model, model.parameters, 70)(ids); });
    EXPECT_NE(message.find("99"), std::string::npos) << message;
  });
}

TEST(NextLogits, AreRefusedWhereTheyAreNotFinite) {
  Decoder model({});
  const auto head = model.parameters.infos().back();
  model.parameters.buffer()[static_cast<std::size_t>(head.offset)] = std::nanf("");
  const TokenIds ids = {1};
  EXPECT_EQ(thrown([&] { NextLogits(model, model.parameters, 9)(ids); }),
            "[1] a logit of the next token is nan: no text comes from such weights");
}

}  // namespace
}  // namespace assay
