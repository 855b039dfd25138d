#include "autograd/ops_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/support.h"
#include "tensor/kernels/attention.h"

namespace assay {
namespace {

// The table of a bias as the kernel wants it: every distance, the last elements repeated.
AttentionBias spread_out(const DistanceBias& bias, std::int64_t heads, std::int64_t queries,
                         std::int64_t keys) {
  const Shape& s = bias.values.shape();
  if (s.rank() != 2 || s[0] != heads || s[1] < 1)
    shape_error("attention", s, fmt::format("wanted a bias [H, E] of {} heads", heads));
  const std::int64_t reach = attention_reach(queries, keys);
  float* spread = tape_of(bias.values).floats(heads * 2 * reach);
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t d = -reach; d < reach; ++d)
      spread[(2 * h + 1) * reach + d] =
          data_of(bias.values)[h * s[1] + std::clamp<std::int64_t>(d - bias.first, 0, s[1] - 1)];
  return {spread, reach};
}

// Back from that table.
void gather_bias_gradient(const DistanceBias& bias, std::int64_t reach, const float* spread) {
  const std::int64_t heads = bias.values.shape()[0], extent = bias.values.shape()[1];
  const Into into = gradient_into(bias.values);
  if (!into.accumulate) std::fill_n(into.data, heads * extent, 0.0F);
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t d = -reach; d < reach; ++d)
      into.data[h * extent + std::clamp<std::int64_t>(d - bias.first, 0, extent - 1)] +=
          spread[(2 * h + 1) * reach + d];
}

// The problem over M keys of a width, whose rows of the batch stand batch_stride apart. Checks
// heads, mask and weights.
Attention problem_of(Tensor q, std::int64_t keys, std::int64_t key_width, std::int64_t batch_stride,
                     std::int64_t heads, const AttentionMask& mask, std::span<float> weights,
                     const DistanceBias& bias) {
  const Shape& s = q.shape();
  const std::int64_t rows = s[0], queries = s[1], width = s[2];
  if (heads < 1 || width % heads != 0)
    shape_error("attention", s, fmt::format("{} heads do not divide width {}", heads, width));
  if (key_width < 1 || key_width % (width / heads) != 0 || width % key_width != 0)
    shape_error("attention", s,
                fmt::format("keys of width {} are no heads of {} that divide {} heads", key_width,
                            width / heads, heads));
  const auto check_size = [&](std::size_t size, const Shape& wanted, const char* what) {
    if (size != 0 && size != static_cast<std::size_t>(wanted.elements()))
      shape_error("attention", s, wanted, fmt::format("{} has {} elements", what, size));
  };
  check_size(mask.keys.size(), {rows, keys}, "the key mask");
  check_size(mask.pairs.size(), {queries, keys}, "the pair mask");
  check_size(weights.size(), {rows, heads, queries, keys}, "the room for weights");

  Attention problem;
  problem.batch = rows, problem.queries = queries, problem.keys = keys;
  problem.heads = heads, problem.head_width = width / heads;
  problem.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(problem.head_width)));
  problem.causal = mask.causal;
  problem.key_mask = mask.keys.empty() ? nullptr : mask.keys.data();
  problem.pair_mask = mask.pairs.empty() ? nullptr : mask.pairs.data();
  problem.window = mask.window;
  problem.sharing = width / key_width;
  if (bias.values) problem.bias = spread_out(bias, heads, queries, keys);
  problem.q = {data_of(q), width, queries * width};
  problem.k = {nullptr, key_width, batch_stride};
  problem.v = problem.k;
  return problem;
}

void check_query(Tensor q) {
  if (q.shape().rank() != 3) shape_error("attention", q.shape(), "wanted queries [B, N, D]");
}

float* or_null(std::span<float> weights) {
  return weights.empty() ? nullptr : weights.data();
}

// One tensor, which a gradient reaches twice.
bool same(Tensor a, Tensor b) {
  return a.needs_gradient() && &a.slot() == &b.slot();
}

HeadRowsInto like(const HeadRows& rows, Into into) {
  return {into, rows.row_stride, rows.batch_stride};
}

// `count` products of N x M x D for each row of the batch. What a mask leaves out is counted, as is
// usual.
double products(const Attention& p, double count) {
  return count * 2.0 * static_cast<double>(p.batch * p.heads * p.head_width) *
         static_cast<double>(p.queries * p.keys);
}

}  // namespace

// For each head: y = P v, P = softmax(s), s = q k^T / sqrt(W) where allowed
// dv = P^T dy    ds = P (dy v^T - sum of y dy)    dq = ds k / sqrt(W)    dk = ds^T q / sqrt(W)
// db[d] = sum of ds at distance d, where scores have a bias by distance
Tensor attention(Tensor q, Tensor k, Tensor v, std::int64_t heads, const AttentionMask& mask,
                 std::span<float> weights, const DistanceBias& bias) {
  check_query(q);
  const Shape &qs = q.shape(), &ks = k.shape();
  if (ks.rank() != 3 || qs[0] != ks[0])
    shape_error("attention", qs, ks, "wanted queries [B, N, D] and keys [B, M, D]");
  if (v.shape() != ks) shape_error("attention", ks, v.shape(), "keys and values differ in shape");
  Attention problem = problem_of(q, ks[1], ks[2], ks[1] * ks[2], heads, mask, weights, bias);
  problem.k.data = data_of(k), problem.v.data = data_of(v);

  Tape& tape = tape_of(q);
  const Tensor y = tape.result(qs, {q, k, v, bias.values});
  float* log_sum_exp = y.needs_gradient() ? tape.floats(qs[0] * heads * qs[1]) : nullptr;
  attention_forward(problem, like(problem.q, {data_of(y), false}), log_sum_exp, or_null(weights),
                    tape.workspace());
  tape.count_flops(products(problem, 2));
  tape.record(y, [=] {
    AttentionResult result;
    result.out = result.dout = problem.q;
    result.out.data = data_of(y), result.dout.data = gradient_of(y);
    result.log_sum_exp = log_sum_exp;
    // Keys or values that are the queries' tensor (softmax(X X^T) X): the kernel writes all three
    // at once, so theirs go to memory of their own and are added afterwards.
    // The same where heads share keys: the kernel writes those of each head of queries.
    Tape& t = tape_of(y);
    const bool folds = problem.sharing > 1;
    const std::int64_t key_rows = problem.batch * problem.keys, width = q.shape()[2];
    const bool k_apart = folds ? k.needs_gradient() : same(k, q);
    const bool v_apart = folds ? v.needs_gradient() : same(v, q) || same(v, k);
    const Into dq = gradient_into(q);
    const Into dk = k_apart ? Into{t.floats(key_rows * width), false} : gradient_into(k);
    const Into dv = v_apart ? Into{t.floats(key_rows * width), false} : gradient_into(v);
    const HeadRows keys = {nullptr, width, problem.keys * width};
    const std::int64_t spread = heads * 2 * problem.bias.reach;
    float* dbias = bias.values && bias.values.needs_gradient() ? t.floats(spread) : nullptr;
    if (dbias) std::fill_n(dbias, spread, 0.0F);
    attention_backward(problem, result, like(problem.q, dq), like(keys, dk), like(keys, dv),
                       t.workspace(), dbias);
    if (k_apart)
      fold_shared_heads(key_rows, heads, problem.sharing, problem.head_width, dk.data,
                        gradient_into(k));
    if (v_apart)
      fold_shared_heads(key_rows, heads, problem.sharing, problem.head_width, dv.data,
                        gradient_into(v));
    if (dbias) gather_bias_gradient(bias, problem.bias.reach, dbias);
    // The scores are computed a second time, which is not counted.
    t.count_flops(products(problem, 4));
  });
  return y;
}

// y as above; nothing to go back to
Tensor cached_attention(Tensor q, const CachedKeys& cached, std::int64_t heads,
                        const AttentionMask& mask, std::span<float> weights,
                        const DistanceBias& bias) {
  check_query(q);
  Attention problem = problem_of(q, cached.length, cached.width, cached.capacity * cached.width,
                                 heads, mask, weights, bias);
  problem.k.data = cached.keys, problem.v.data = cached.values;
  const Tensor y = tape_of(q).result(q.shape(), {});
  attention_forward(problem, like(problem.q, {data_of(y), false}), nullptr, or_null(weights),
                    tape_of(q).workspace());
  tape_of(q).count_flops(products(problem, 2));
  return y;
}

}  // namespace assay
