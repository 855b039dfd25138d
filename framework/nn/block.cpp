#include "nn/block.h"

#include <utility>

#include "nn/key_value_cache.h"

namespace assay {

TransformerBlock::TransformerBlock(const Scope& scope, const BlockOptions& o)
    : order_(o.order), cross_attends_(o.cross), routes_(o.experts.experts > 0) {
  AttentionOptions attention;
  attention.width = o.width, attention.heads = o.heads;
  attention.bias = o.attention_bias, attention.dropout = o.dropout;
  attention.key_heads = o.key_heads, attention.window = o.window;
  attention.qk_norm = o.qk_norm;
  attention_norm_ = Norm(scope / "attention_norm", o.width, o.norm);
  attention_ = MultiHeadAttention(scope / "attention", attention);
  if (o.cross) {
    cross_norm_ = Norm(scope / "cross_norm", o.width, o.norm);
    cross_ = MultiHeadAttention(scope / "cross", attention);
  }
  if (order_ != BlockOrder::parallel) mlp_norm_ = Norm(scope / "mlp_norm", o.width, o.norm);
  MlpOptions mlp;
  mlp.width = o.width, mlp.hidden = o.mlp_width;
  mlp.unit = o.mlp, mlp.bias = o.mlp_bias, mlp.dropout = o.dropout;
  if (routes_)
    experts_ = Experts(scope / "mlp", mlp, o.experts);
  else
    mlp_ = Mlp(scope / "mlp", mlp);
}

Tensor TransformerBlock::add_mlp(Tensor residual, Tensor x, const AttentionMask& mask,
                                 Pass& pass) const {
  return routes_ ? experts_.add_to(residual, x, mask.keys, pass) : mlp_.add_to(residual, x, pass);
}

// attend(y): the residual stream with attention over y in it, at the positions that are wanted; and
// y there.
template <class Attend>
Tensor TransformerBlock::branches(Tensor x, const AttentionMask& mask, Pass& pass, Tensor source,
                                  const AttentionMask& source_mask, const Attend& attend) const {
  if (order_ == BlockOrder::post_norm) {
    x = attention_norm_(attend(x).first, pass);
    if (cross_attends_) x = cross_norm_(cross_.add_to(x, x, source, source_mask, pass), pass);
    return mlp_norm_(add_mlp(x, x, mask, pass), pass);
  }
  const auto [sum, y] = attend(attention_norm_(x, pass));
  if (order_ == BlockOrder::parallel) return add_mlp(sum, y, mask, pass);
  x = sum;
  if (cross_attends_) x = cross_.add_to(x, cross_norm_(x, pass), source, source_mask, pass);
  return add_mlp(x, mlp_norm_(x, pass), mask, pass);
}

Tensor TransformerBlock::operator()(Tensor x, const AttentionMask& mask, Pass& pass, Tensor source,
                                    const AttentionMask& source_mask,
                                    const AttentionPositions& positions) const {
  return branches(x, mask, pass, source, source_mask, [&](Tensor y) {
    return std::pair(attention_.add_to(x, y, y, mask, pass, positions), y);
  });
}

Tensor TransformerBlock::last(Tensor x, const AttentionMask& mask, Pass& pass, Tensor source,
                              const AttentionMask& source_mask,
                              const AttentionPositions& positions) const {
  const std::int64_t end = x.shape()[1] - 1;
  const Tensor residual = some_positions(x, end, 1);
  if (pass.cache->wanted() == KeyValueCache::Wanted::none) {
    attention_.remember(order_ == BlockOrder::post_norm ? x : attention_norm_(x, pass), pass,
                        positions);
    return residual;
  }
  return branches(x, mask, pass, source, source_mask, [&](Tensor y) {
    return std::pair(attention_.add_last_to(residual, y, mask, pass, positions),
                     some_positions(y, end, 1));
  });
}

}  // namespace assay
