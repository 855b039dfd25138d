// Recurrent layers (Elman, 1990; Hochreiter and Schmidhuber, 1997; Cho et al., 2014), and a network
// of them from ids to logits. The cells and their formulas: tensor/kernels/recurrent_cell.h.
//
//   RecurrentStack stack(scope, {.cell = RecurrentCell::gru, .inputs = 32, .units = 64});
//   Tensor y = stack(x, {}, pass).y;                 // [B, N, 32] -> [B, N, 64]
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/layers.h"

namespace assay {

struct RecurrentLayerOptions {
  RecurrentCell cell = RecurrentCell::elman;
  std::int64_t inputs = 0, units = 0;
  bool recurrent_bias = false;  // a second bias, beside the recurrent product
  Initialiser input = {}, recurrent = {}, bias = {};
};

/// How a call goes over its positions.
struct RecurrentCall {
  std::span<const std::uint8_t> mask = {};  // as RecurrentInput has it
  bool reverse = false;
  RecurrentState initial = {};
};

/// One layer in one direction. Parameters under scope: input [I, G H], recurrent [H, G H], bias
/// [G H], recurrent_bias [G H] if wanted. With a cache in the pass it goes on from the state it
/// left there.
class ASSAY_API RecurrentLayer {
 public:
  RecurrentLayer() = default;
  RecurrentLayer(const Scope& scope, const RecurrentLayerOptions& options);

  Recurrent operator()(Tensor x, const RecurrentCall& call, Pass& pass) const;  // x [B, N, I]
  /// The same for one-hot inputs, given as ids: their products are rows of the input matrix.
  Recurrent of_ids(std::span<const std::int32_t> ids, const Shape& shape, const RecurrentCall& call,
                   Pass& pass) const;

 private:
  Recurrent run(Tensor products, Tensor bias, const RecurrentCall& call, Pass& pass) const;
  Tensor second_bias(Pass& pass) const;
  RecurrentCell cell_ = RecurrentCell::elman;
  std::int64_t units_ = 0;
  std::string path_;
  ParameterId input_, recurrent_, bias_, recurrent_bias_;
};

struct RecurrentStackOptions {
  RecurrentCell cell = RecurrentCell::elman;
  std::int64_t inputs = 0, units = 0, layers = 1;
  bool bidirectional = false, recurrent_bias = false;
  double dropout = 0;  // of what each layer hands upwards (Zaremba et al., 2014)
  /// Standard: all uniform in +-1/sqrt(units), as PyTorch has it. Elman's: inputs N(0, 0.1) at the
  /// first layer and N(0, 1/sqrt(inputs)) above, recurrent N(0, 1/sqrt(units)), biases 0.
  bool elman_start = false;
};

/// Layers one above the other, in one direction or both. Both directions go over each layer, and
/// the next sees them side by side.
class ASSAY_API RecurrentStack {
 public:
  RecurrentStack() = default;
  RecurrentStack(const Scope& scope, const RecurrentStackOptions& options);

  struct Result {
    Tensor y;     // [B, N, W], W = units, or twice as many
    Tensor last;  // [B, W]: the hidden state of the top layer after its last real position
  };
  /// states, if not empty: one per layer, where each starts and what it leaves; for one direction.
  Result operator()(Tensor x, std::span<const std::uint8_t> mask, Pass& pass,
                    std::span<RecurrentState> states = {}) const;
  Result of_ids(std::span<const std::int32_t> ids, const Shape& shape,
                std::span<const std::uint8_t> mask, Pass& pass,
                std::span<RecurrentState> states = {}) const;
  std::int64_t width() const { return width_; }
  std::int64_t layers() const { return static_cast<std::int64_t>(layers_.size()); }

 private:
  struct Layer {
    RecurrentLayer forward, backward;
    Dropout dropout;
  };
  template <class First>
  Result run(const First& first, std::span<const std::uint8_t> mask, Pass& pass,
             std::span<RecurrentState> states) const;
  bool bidirectional_ = false;
  std::int64_t width_ = 0;
  std::vector<Layer> layers_;
};

struct RecurrentNetworkOptions {
  RecurrentStackOptions stack;  // inputs are set by the network
  std::int64_t vocabulary = 0, classes = 0;
  std::int64_t embedding = 0;  // width of an embedding N(0, 1) below; 0: ids enter one-hot
  bool per_position = true;    // logits [B, N, K]; else of the last state, [B, K]
};

/// Ids to what a stack makes of them: embedding (or none) and stack.
class ASSAY_API RecurrentReader {
 public:
  RecurrentReader() = default;
  /// Of the options, classes and per_position do not matter here.
  RecurrentReader(const Scope& scope, const RecurrentNetworkOptions& options);
  RecurrentStack::Result operator()(std::span<const std::int32_t> ids, const Shape& shape,
                                    std::span<const std::uint8_t> mask, Pass& pass,
                                    std::span<RecurrentState> states = {}) const;
  std::int64_t width() const { return stack_.width(); }
  std::int64_t layers() const { return stack_.layers(); }

 private:
  bool embeds_ = false;
  Embedding embedding_;
  RecurrentStack stack_;
};

/// Ids to logits: reader and output layer.
class ASSAY_API RecurrentNetwork {
 public:
  RecurrentNetwork() = default;
  RecurrentNetwork(const Scope& scope, const RecurrentNetworkOptions& options);

  struct Result {
    Tensor logits, hidden;  // [B, N, K] and [B, N, W], or [B, K] and [B, W]
  };
  Result operator()(std::span<const std::int32_t> ids, const Shape& shape,
                    std::span<const std::uint8_t> mask, Pass& pass,
                    std::span<RecurrentState> states = {}) const;

 private:
  bool per_position_ = true;
  RecurrentReader reader_;
  Linear head_;
};

}  // namespace assay
