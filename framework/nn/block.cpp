#include "nn/block.h"

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

Tensor TransformerBlock::operator()(Tensor x, const AttentionMask& mask, Pass& pass, Tensor source,
                                    const AttentionMask& source_mask,
                                    const AttentionPositions& positions) const {
  if (order_ == BlockOrder::post_norm) {
    x = attention_norm_(attention_.add_to(x, x, x, mask, pass, positions), pass);
    if (cross_attends_) x = cross_norm_(cross_.add_to(x, x, source, source_mask, pass), pass);
    return mlp_norm_(add_mlp(x, x, mask, pass), pass);
  }
  const Tensor y = attention_norm_(x, pass);
  x = attention_.add_to(x, y, y, mask, pass, positions);
  if (order_ == BlockOrder::parallel) return add_mlp(x, y, mask, pass);
  if (cross_attends_) x = cross_.add_to(x, cross_norm_(x, pass), source, source_mask, pass);
  return add_mlp(x, mlp_norm_(x, pass), mask, pass);
}

}  // namespace assay
