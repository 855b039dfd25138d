// A stack of transformer layers over token ids: embedding, positions, layers, a last norm; and the
// output layer over a vocabulary. What decoders, encoders and encoder-decoders have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/block.h"

namespace assay {

struct TransformerOptions {
  BlockOptions block;
  std::int64_t layers = 1, vocabulary = 0, context = 0;
  PositionKind positions = PositionKind::learned;
  double position_deviation = 0.02;  // of learned positions, at first
  Initialiser token = Initialiser::normal(1);
  const Embedding* shared = nullptr;  // tokens of this embedding, instead of one of its own
  bool last_norm = true;              // after the layers, unless they are post_norm
  bool embedding_norm = false;        // of the embedded tokens (Devlin et al., 2019)
  std::int64_t segments = 0;          // parts of an input that are told apart; 0: none are
  bool causal = true;
  std::string owner;  // in messages: "model 'gpt'"
};

class ASSAY_API Transformer {
 public:
  Transformer() = default;
  /// Parameters token (unless shared), position (if learned), segment and embedding_norm (where
  /// asked for), layer0 ..., norm under scope.
  Transformer(const Scope& scope, const TransformerOptions& options);

  /// ids of shape [B, N] -> [B, N, D]. keys: marks [B, N] of what is no padding, or empty; with a
  /// cache, of the cached positions too. source [B, M, D] with its marks: for cross-attention.
  /// segment: which part of the input each id is in; empty: all in the first. Where the cache wants
  /// the last position alone, [B, 1, D].
  Tensor operator()(std::span<const std::int32_t> ids, const Shape& shape,
                    std::span<const std::uint8_t> keys, Pass& pass, Tensor source = {},
                    std::span<const std::uint8_t> source_keys = {},
                    std::span<const std::int32_t> segment = {}) const;
  const Embedding& token() const { return token_; }

 private:
  Tensor embedded(std::span<const std::int32_t> ids, const Shape& shape,
                  std::span<const std::uint8_t> keys, std::span<const std::int32_t> segment,
                  Pass& pass) const;
  bool causal_ = true, last_norm_ = true, embedding_norm_ = false, segments_ = false;
  Embedding token_, segment_;
  Positions positions_;
  Dropout dropout_;  // of the embedded tokens
  std::vector<TransformerBlock> layers_;
  Norm norm_, first_norm_;
};

struct OutputOptions {
  std::int64_t width = 0, classes = 0;
  std::optional<bool> bias;         // default: unless tied
  const Embedding* tied = nullptr;  // the weights are this embedding's (Press and Wolf, 2017)
};

/// Logits over a vocabulary.
class ASSAY_API OutputLayer {
 public:
  OutputLayer() = default;
  OutputLayer(const Scope& scope, const OutputOptions& options);
  Tensor operator()(Tensor x, Pass& pass) const;  // [..., D] -> [..., K]

 private:
  Linear linear_;
  ParameterId tied_, bias_;  // of tied output
};

}  // namespace assay
