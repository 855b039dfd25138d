// How a transformer knows where a token stands: what is added to its embedding, and what attention
// is told.
//
//   Positions positions(scope, options);
//   x = positions.add_to(x, mask.keys, pass);                       // learned, sinusoidal
//   x = layer(x, mask, pass, ..., positions.for_attention(pass));   // rotary, alibi, relative
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nn/layers.h"

namespace assay {

/// learned and sinusoidal (Vaswani et al., 2017, section 3.5) are added to the embedding; rotary
/// (Su et al., 2021) turns queries and keys; alibi (Press et al., 2022) and relative (a number to
/// learn for each head and distance; Shaw et al., 2018) are added to the scores.
enum class PositionKind { none, learned, sinusoidal, rotary, alibi, relative };

/// [positions, width]: sin(w_j n), cos(w_j n) beside each other, w_j = 10000^(-2j / width).
ASSAY_API std::vector<float> sinusoidal_encoding(std::int64_t positions, std::int64_t width);

/// The angles n 10000^(-2i / W) of `positions` positions.
class ASSAY_API RotaryTable {
 public:
  RotaryTable(std::int64_t positions, std::int64_t head_width);
  RotaryAngles angles(std::int64_t first, std::int64_t count) const;

 private:
  std::size_t half_;
  std::vector<float> cosines_, sines_;
};

/// What self-attention is told of positions.
struct AttentionPositions {
  const RotaryTable* rotary = nullptr;  // null: not rotary
  DistanceBias bias;
};

struct PositionOptions {
  PositionKind kind = PositionKind::learned;
  std::int64_t context = 0;  // positions there are
  std::int64_t width = 0, heads = 1;
  bool causal = true;
  double deviation = 0.02;  // of what is learned, at first
  std::string owner;        // in messages: "model 'gpt'"
};

class ASSAY_API Positions {
 public:
  Positions() = default;
  /// One parameter at scope if there is something to learn.
  Positions(const Scope& scope, const PositionOptions& options);

  /// x [B, N, D] with its positions, those of a cache before them. Padding counts for no position:
  /// keys, the marks of all positions, cached ones included, or empty. Throws Error(usage) beyond
  /// the context, or if keys has another number of marks.
  Tensor add_to(Tensor x, std::span<const std::uint8_t> keys, Pass& pass) const;
  AttentionPositions for_attention(Pass& pass) const;

 private:
  Tensor table(Pass& pass) const;
  PositionOptions options_;
  ParameterId learned_;
  std::vector<float> fixed_;  // a table that is not learned
  std::shared_ptr<const RotaryTable> rotary_;
};

}  // namespace assay
