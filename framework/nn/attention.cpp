#include "nn/attention.h"

#include <cmath>

#include "nn/key_value_cache.h"

namespace assay {

MultiHeadAttention::MultiHeadAttention(const Scope& scope, const AttentionOptions& options)
    : heads_(options.heads), path_(scope.path("")), dropout_(scope, options.dropout) {
  LinearOptions linear;
  linear.bias = options.bias;
  linear.weight = Initialiser::normal(1.0 / std::sqrt(static_cast<double>(options.width)));
  q_ = Linear(scope / "q", options.width, options.width, linear);
  k_ = Linear(scope / "k", options.width, options.width, linear);
  v_ = Linear(scope / "v", options.width, options.width, linear);
  o_ = Linear(scope / "o", options.width, options.width, linear);
}

Tensor MultiHeadAttention::add_to(Tensor residual, Tensor x, Tensor source,
                                  const AttentionMask& mask, Pass& pass) const {
  if (dropout_.active(pass)) return add(residual, (*this)(x, source, mask, pass));
  return o_.add_to(residual, heads_output(x, source, mask, pass), pass);
}

Tensor MultiHeadAttention::operator()(Tensor x, Tensor source, const AttentionMask& mask,
                                      Pass& pass) const {
  return dropout_(o_(heads_output(x, source, mask, pass), pass), pass);
}

Tensor MultiHeadAttention::heads_output(Tensor x, Tensor source, const AttentionMask& mask,
                                        Pass& pass) const {
  const Tensor q = q_(x, pass);       // [B, N, D]
  const Tensor k = k_(source, pass);  // [B, M, D]
  const Tensor v = v_(source, pass);  // [B, M, D]
  KeyValueCache* cache = &x.slot() == &source.slot() ? pass.cache : nullptr;
  const std::int64_t keys = k.shape()[1] + (cache ? cache->length() : 0);

  const Shape shape = {q.shape()[0], heads_, q.shape()[1], keys};
  std::span<float> weights;
  if (pass.tap)
    weights = {pass.tape().floats(shape.elements()), static_cast<std::size_t>(shape.elements())};
  Tensor y;
  if (cache) {
    const auto& layer = cache->append(path_, k.values(), v.values(), k.shape()[1]);
    y = cached_attention(q, {layer.keys.data(), layer.values.data(), cache->capacity(), keys},
                         heads_, mask, weights);
  } else {
    y = attention(q, k, v, heads_, mask, weights);
  }
  if (pass.tap) (*pass.tap)(path_, shape, weights);
  return y;
}

}  // namespace assay
