#include "nn/transformer.h"

#include <algorithm>
#include <cmath>

#include "nn/key_value_cache.h"

namespace assay {

Transformer::Transformer(const Scope& scope, const TransformerOptions& o)
    : causal_(o.causal),
      last_norm_(o.last_norm && o.block.order != BlockOrder::post_norm),
      embedding_norm_(o.embedding_norm),
      segments_(o.segments > 0),
      token_(o.shared ? *o.shared
                      : Embedding(scope / "token", o.vocabulary, o.block.width, o.token)),
      dropout_(scope / "embedding", o.block.dropout) {
  PositionOptions positions;
  positions.kind = o.positions, positions.context = o.context;
  positions.width = o.block.width, positions.heads = o.block.heads;
  positions.causal = o.causal, positions.deviation = o.position_deviation;
  positions.owner = o.owner;
  positions_ = Positions(scope / "position", positions);
  if (segments_)
    segment_ = Embedding(scope / "segment", o.segments, o.block.width,
                         Initialiser::normal(o.position_deviation));
  if (embedding_norm_) first_norm_ = Norm(scope / "embedding_norm", o.block.width, o.block.norm);
  for (std::int64_t i = 0; i < o.layers; ++i)
    layers_.emplace_back(scope / std::string("layer").append(std::to_string(i)), o.block);
  if (last_norm_) norm_ = Norm(scope / "norm", o.block.width, o.block.norm);
}

Tensor Transformer::operator()(std::span<const std::int32_t> ids, const Shape& shape,
                               std::span<const std::uint8_t> keys, Pass& pass, Tensor source,
                               std::span<const std::uint8_t> source_keys,
                               std::span<const std::int32_t> segment) const {
  AttentionMask mask, source_mask;
  mask.causal = causal_;
  mask.keys = keys;
  source_mask.keys = source_keys;
  Tensor x = dropout_(embedded(ids, shape, keys, segment, pass), pass);  // [B, N, D]
  const AttentionPositions told = positions_.for_attention(pass);
  const bool last_only = pass.cache && pass.cache->wanted() != KeyValueCache::Wanted::all &&
                         keys.empty() && shape[1] > 1;
  for (const TransformerBlock& layer : layers_)
    x = last_only && &layer == &layers_.back()
            ? layer.last(x, mask, pass, source, source_mask, told)
            : layer(x, mask, pass, source, source_mask, told);
  return last_norm_ ? norm_(x, pass) : x;
}

Tensor Transformer::embedded(std::span<const std::int32_t> ids, const Shape& shape,
                             std::span<const std::uint8_t> keys,
                             std::span<const std::int32_t> segment, Pass& pass) const {
  Tensor x = positions_.add_to(token_(ids, shape, pass), keys, pass);
  if (segments_) {
    if (segment.empty()) {
      auto* first =
          static_cast<std::int32_t*>(pass.tape().arena().take(ids.size() * sizeof(std::int32_t)));
      std::fill_n(first, ids.size(), 0);
      segment = {first, ids.size()};
    }
    x = add(x, segment_(segment, shape, pass));
  }
  return embedding_norm_ ? first_norm_(x, pass) : x;
}

OutputLayer::OutputLayer(const Scope& scope, const OutputOptions& o) {
  LinearOptions linear;
  linear.bias = o.bias.value_or(!o.tied);
  if (!o.tied) {
    linear_ = Linear(scope, o.width, o.classes, linear);
    return;
  }
  tied_ = o.tied->weight();
  const double unit = 1.0 / std::sqrt(static_cast<double>(o.width));
  if (linear.bias) bias_ = scope.add("bias", {o.classes}, Initialiser::uniform(unit));
}

Tensor OutputLayer::operator()(Tensor x, Pass& pass) const {
  if (!tied_) return linear_(x, pass);
  return linear_transposed(x, pass.parameter(tied_), bias_ ? pass.parameter(bias_) : Tensor());
}

}  // namespace assay
