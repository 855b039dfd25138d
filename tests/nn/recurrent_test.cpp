#include "nn/recurrent.h"

#include <gtest/gtest.h>

#include <vector>

#include "nn/key_value_cache.h"

namespace assay {
namespace {

std::int64_t parameters_of(RecurrentCell cell, bool two_biases) {
  Parameters parameters;
  RecurrentLayerOptions o;
  o.cell = cell, o.inputs = 4, o.units = 5, o.recurrent_bias = two_biases;
  const RecurrentLayer layer(Scope(parameters), o);
  return parameters.count();
}

TEST(RecurrentLayer, HasAsManyParametersAsPyTorchs) {
  EXPECT_EQ(parameters_of(RecurrentCell::gru, true), 165);
  EXPECT_EQ(parameters_of(RecurrentCell::lstm, true), 220);
  EXPECT_EQ(parameters_of(RecurrentCell::gru, false), 150);
  EXPECT_EQ(parameters_of(RecurrentCell::lstm, false), 200);
}

// A network of two layers on rows of ids of any length, with padding on either side.
struct Network {
  static constexpr std::int64_t kVocabulary = 10, kClasses = 7;
  Parameters parameters;
  RecurrentNetwork network;

  Network(RecurrentCell cell, bool bidirectional, bool per_position, std::int64_t embedding = 3) {
    RecurrentNetworkOptions o;
    o.stack.cell = cell, o.stack.units = 5, o.stack.layers = 2;
    o.stack.bidirectional = bidirectional, o.stack.recurrent_bias = true;
    o.vocabulary = kVocabulary, o.classes = kClasses;
    o.embedding = embedding, o.per_position = per_position;
    network = RecurrentNetwork(Scope(parameters), o);
    parameters.initialise(1);
  }

  using Rows = std::vector<std::vector<std::int32_t>>;

  /// Logits of the real positions (or of the row) of each row.
  std::vector<std::vector<float>> logits(const Rows& rows, std::size_t length, bool left,
                                         std::int32_t pad) const {
    std::vector<std::int32_t> ids(rows.size() * length, pad);
    std::vector<std::uint8_t> mask(ids.size(), 0);
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t i = 0; i < rows[row].size(); ++i) {
        const std::size_t at = row * length + i + (left ? length - rows[row].size() : 0);
        ids[at] = rows[row][i], mask[at] = 1;
      }
    Tape tape(false);
    Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, ""));
    const Shape shape = {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(length)};
    const Tensor y = network(ids, shape, mask, pass).logits;
    std::vector<std::vector<float>> result(rows.size());
    const std::size_t answers = y.shape().rank() == 3 ? length : 1;
    for (std::size_t at = 0; at < rows.size() * answers; ++at)
      if (answers == 1 || mask[at]) {
        const auto part = y.values().subspan(at * kClasses, kClasses);
        auto& to = result[at / answers];
        to.insert(to.end(), part.begin(), part.end());
      }
    return result;
  }
};

constexpr RecurrentCell kCells[] = {RecurrentCell::elman, RecurrentCell::lstm, RecurrentCell::gru,
                                    RecurrentCell::gru_reset_before};

TEST(Padding, ChangesNothingWhateverItsIdAmountAndSide) {
  const Network::Rows both = {{5, 6}, {5, 6, 7, 8, 9, 3}};
  for (const RecurrentCell cell : kCells)
    for (const bool bidirectional : {false, true})
      for (const bool per_position : {false, true}) {
        const Network n(cell, bidirectional, per_position);
        const auto alone = n.logits({both[0]}, 2, false, 0);
        const auto longer = n.logits({both[1]}, 6, false, 0);
        for (const bool left : {false, true})
          for (const std::size_t length : {std::size_t{6}, std::size_t{9}})
            for (const std::int32_t pad : {0, 4}) {
              const auto together = n.logits(both, length, left, pad);
              EXPECT_EQ(together[0], alone[0]);
              EXPECT_EQ(together[1], longer[0]);
            }
      }
}

TEST(RecurrentNetwork, OneHotIdsAreRowsOfTheInputMatrix) {
  for (const RecurrentCell cell : kCells) {
    Network one_hot(cell, false, true, 0), embedded(cell, false, true, Network::kVocabulary);
    // The same numbers, below an embedding that is the identity.
    for (std::int32_t i = 0; i < embedded.parameters.size(); ++i) {
      const ParameterInfo& info = embedded.parameters.info({i});
      const auto values = embedded.parameters.values({i});
      if (info.path == "token") {
        for (std::size_t k = 0; k < values.size(); ++k)
          values[k] = k % (Network::kVocabulary + 1) == 0 ? 1.0F : 0.0F;
        continue;
      }
      const auto same = one_hot.parameters.values(one_hot.parameters.find(info.path));
      std::copy(same.begin(), same.end(), values.begin());
    }
    const Network::Rows rows = {{1, 2, 3, 9, 0}};
    const auto a = one_hot.logits(rows, 5, false, 0), b = embedded.logits(rows, 5, false, 0);
    for (std::size_t i = 0; i < a[0].size(); ++i) EXPECT_NEAR(a[0][i], b[0][i], 1e-6);
  }
}

TEST(KeyValueCache, KeepsStatesOfZerosAtFirstAndAfterClearing) {
  KeyValueCache cache(2, 10);
  EXPECT_EQ(cache.state("layer0", 3).size(), 6U);
  EXPECT_EQ(cache.state("layer0", 3)[5], 0);
  cache.state("layer0", 3)[5] = 7;
  EXPECT_EQ(cache.state("layer0", 3)[5], 7);
  cache.clear();
  EXPECT_EQ(cache.state("layer0", 3)[5], 0);
}

}  // namespace
}  // namespace assay
