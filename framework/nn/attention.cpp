#include "nn/attention.h"

#include <cmath>

#include "nn/key_value_cache.h"

namespace assay {
namespace {

bool are_same(Tensor x, Tensor source) {
  return source && &x.slot() == &source.slot();
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const Scope& scope, const AttentionOptions& options)
    : heads_(options.heads),
      key_heads_(options.key_heads > 0 ? options.key_heads : options.heads),
      window_(options.window),
      qk_norm_(options.qk_norm),
      path_(scope.path("")),
      dropout_(scope, options.dropout) {
  LinearOptions linear;
  linear.bias = options.bias;
  linear.weight = Initialiser::normal(1.0 / std::sqrt(static_cast<double>(options.width)));
  const std::int64_t head_width = options.width / heads_, key_width = head_width * key_heads_;
  q_ = Linear(scope / "q", options.width, options.width, linear);
  k_ = Linear(scope / "k", options.width, key_width, linear);
  v_ = Linear(scope / "v", options.width, key_width, linear);
  o_ = Linear(scope / "o", options.width, options.width, linear);
  if (!qk_norm_) return;
  q_norm_ = Norm(scope / "q_norm", head_width, NormKind::rms);
  k_norm_ = Norm(scope / "k_norm", head_width, NormKind::rms);
}

Tensor MultiHeadAttention::add_to(Tensor residual, Tensor x, Tensor source,
                                  const AttentionMask& mask, Pass& pass,
                                  const AttentionPositions& positions) const {
  if (dropout_.active(pass)) return add(residual, (*this)(x, source, mask, pass, positions));
  return o_.add_to(residual, heads_output(x, source, are_same(x, source), mask, pass, positions),
                   pass);
}

Tensor MultiHeadAttention::add_last_to(Tensor residual, Tensor x, const AttentionMask& mask,
                                       Pass& pass, const AttentionPositions& positions) const {
  const Tensor last = some_positions(x, x.shape()[1] - 1, 1);
  return o_.add_to(residual, heads_output(last, x, true, mask, pass, positions), pass);
}

Tensor MultiHeadAttention::operator()(Tensor x, Tensor source, const AttentionMask& mask,
                                      Pass& pass, const AttentionPositions& positions) const {
  return dropout_(o_(heads_output(x, source, are_same(x, source), mask, pass, positions), pass),
                  pass);
}

// The keys and values that queries meet: tensors, or what a cache holds.
struct MultiHeadAttention::Seen {
  Tensor k, v;
  CachedKeys cached;  // where k is empty
  std::int64_t count() const { return k ? k.shape()[1] : cached.length; }
};

void MultiHeadAttention::remember(Tensor x, Pass& pass, const AttentionPositions& positions) const {
  self_seen(x, pass, positions.rotary);
}

Tensor MultiHeadAttention::normalised(Tensor x, std::int64_t heads, const Norm& norm,
                                      Pass& pass) const {
  if (!qk_norm_) return x;
  const Shape& s = x.shape();
  const Tensor apart = reshape(x, {s[0], s[1], heads, s[2] / heads});  // [B, N, H, W]
  return reshape(norm(apart, pass), s);
}

MultiHeadAttention::Seen MultiHeadAttention::self_seen(Tensor x, Pass& pass,
                                                       const RotaryTable* table) const {
  KeyValueCache* cache = pass.cache;
  const std::int64_t first = cache ? cache->length() : 0, added = x.shape()[1];
  Tensor k = normalised(k_(x, pass), key_heads_, k_norm_, pass);  // [B, N, G W]
  if (table) k = rotary(k, key_heads_, table->angles(first, added));
  const Tensor v = v_(x, pass);
  if (!cache) return {k, v, {}};
  const auto& layer = cache->append(path_, k.values(), v.values(), added);
  return {{},
          {},
          {layer.keys.data(), layer.values.data(), cache->capacity(), first + added, k.shape()[2]}};
}

MultiHeadAttention::Seen MultiHeadAttention::source_seen(Tensor source, Pass& pass) const {
  KeyValueCache* cache = pass.cache;
  const bool known = cache && cache->length() > 0;
  if (!known) {
    const Tensor k = normalised(k_(source, pass), key_heads_, k_norm_, pass);  // [B, M, G W]
    const Tensor v = v_(source, pass);
    if (cache) cache->keep(path_, k.values(), v.values());
    return {k, v, {}};
  }
  const auto& layer = cache->kept(path_);
  const std::int64_t key_width = q_.outputs() / heads_ * key_heads_;
  const std::int64_t keys =
      static_cast<std::int64_t>(layer.keys.size()) / (cache->rows() * key_width);
  return {{}, {}, {layer.keys.data(), layer.values.data(), keys, keys, key_width}};
}

// own: source is x, or x is its last positions.
Tensor MultiHeadAttention::heads_output(Tensor x, Tensor source, bool own, const AttentionMask& all,
                                        Pass& pass, const AttentionPositions& positions) const {
  AttentionMask mask = all;
  AttentionPositions told;
  if (own) {
    mask.window = window_;
    told = positions;
  }
  Tensor q = normalised(q_(x, pass), heads_, q_norm_, pass);  // [B, N, D]
  if (told.rotary) {
    const std::int64_t first = (pass.cache ? pass.cache->length() : 0) + source.shape()[1];
    q = rotary(q, heads_, told.rotary->angles(first - x.shape()[1], x.shape()[1]));
  }
  const Seen seen = own ? self_seen(source, pass, told.rotary) : source_seen(source, pass);

  const Shape shape = {q.shape()[0], heads_, q.shape()[1], seen.count()};
  std::span<float> weights;
  if (pass.tap)
    weights = {pass.tape().floats(shape.elements()), static_cast<std::size_t>(shape.elements())};
  const Tensor y = seen.k ? attention(q, seen.k, seen.v, heads_, mask, weights, told.bias)
                          : cached_attention(q, seen.cached, heads_, mask, weights, told.bias);
  if (pass.tap) (*pass.tap)(path_, shape, weights);
  return y;
}

}  // namespace assay
