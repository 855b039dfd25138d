#include "nn/block.h"

namespace assay {

TransformerBlock::TransformerBlock(const Scope& scope, const BlockOptions& options)
    : post_norm_(options.post_norm), cross_attends_(options.cross) {
  const AttentionOptions attention = {options.width, options.heads, options.attention_bias,
                                      options.dropout};
  attention_norm_ = LayerNorm(scope / "attention_norm", options.width);
  attention_ = MultiHeadAttention(scope / "attention", attention);
  if (options.cross) {
    cross_norm_ = LayerNorm(scope / "cross_norm", options.width);
    cross_ = MultiHeadAttention(scope / "cross", attention);
  }
  mlp_norm_ = LayerNorm(scope / "mlp_norm", options.width);
  expand_ = Linear(scope / "mlp" / "expand", options.width, 4 * options.width);
  project_ = Linear(scope / "mlp" / "project", 4 * options.width, options.width);
  dropout_ = Dropout(scope / "mlp", options.dropout);
}

Tensor TransformerBlock::operator()(Tensor x, const AttentionMask& mask, Pass& pass, Tensor source,
                                    const AttentionMask& source_mask) const {
  if (post_norm_) {
    x = attention_norm_(attention_.add_to(x, x, x, mask, pass), pass);
    if (cross_attends_) x = cross_norm_(cross_.add_to(x, x, source, source_mask, pass), pass);
    return mlp_norm_(add_mlp(x, x, pass), pass);
  }
  const Tensor y = attention_norm_(x, pass);
  x = attention_.add_to(x, y, y, mask, pass);
  if (cross_attends_) x = cross_.add_to(x, cross_norm_(x, pass), source, source_mask, pass);
  return add_mlp(x, mlp_norm_(x, pass), pass);
}

// residual + MLP(x): [B, N, D] -> [B, N, 4 D] -> [B, N, D]
Tensor TransformerBlock::add_mlp(Tensor residual, Tensor x, Pass& pass) const {
  const Tensor h = expand_.gelu(x, pass);
  if (dropout_.active(pass)) return add(residual, dropout_(project_(h, pass), pass));
  return project_.add_to(residual, h, pass);
}

}  // namespace assay
