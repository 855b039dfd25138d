#include "autograd/ops_attention.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/support.h"
#include "tensor/kernels/attention.h"
#include "tensor/kernels/elementwise.h"

namespace assay {
namespace {

// The problem over M keys, whose rows of the batch stand batch_stride apart. Checks heads, mask and
// weights.
Attention problem_of(Tensor q, std::int64_t keys, std::int64_t batch_stride, std::int64_t heads,
                     const AttentionMask& mask, std::span<float> weights) {
  const Shape& s = q.shape();
  const std::int64_t rows = s[0], queries = s[1], width = s[2];
  if (heads < 1 || width % heads != 0)
    shape_error("attention", s, fmt::format("{} heads do not divide width {}", heads, width));
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
  problem.q = {data_of(q), width, queries * width};
  problem.k = {nullptr, width, batch_stride};
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
Tensor attention(Tensor q, Tensor k, Tensor v, std::int64_t heads, const AttentionMask& mask,
                 std::span<float> weights) {
  check_query(q);
  const Shape &qs = q.shape(), &ks = k.shape();
  if (ks.rank() != 3 || qs[0] != ks[0] || qs[2] != ks[2])
    shape_error("attention", qs, ks, "wanted queries [B, N, D] and keys [B, M, D]");
  if (v.shape() != ks) shape_error("attention", ks, v.shape(), "keys and values differ in shape");
  Attention problem = problem_of(q, ks[1], ks[1] * ks[2], heads, mask, weights);
  problem.k.data = data_of(k), problem.v.data = data_of(v);

  Tape& tape = tape_of(q);
  const Tensor y = tape.result(qs, {q, k, v});
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
    const bool k_shares = same(k, q), v_shares = same(v, q) || same(v, k);
    const Into dq = gradient_into(q);
    const Into dk = k_shares ? Into{tape_of(y).floats(k.elements()), false} : gradient_into(k);
    const Into dv = v_shares ? Into{tape_of(y).floats(v.elements()), false} : gradient_into(v);
    attention_backward(problem, result, like(problem.q, dq), like(problem.k, dk),
                       like(problem.v, dv), tape_of(y).workspace());
    if (k_shares) copy({dk.data, k.values().size()}, gradient_into(k));
    if (v_shares) copy({dv.data, v.values().size()}, gradient_into(v));
    // The scores are computed a second time, which is not counted.
    tape_of(y).count_flops(products(problem, 4));
  });
  return y;
}

// y as above; nothing to go back to
Tensor cached_attention(Tensor q, const CachedKeys& cached, std::int64_t heads,
                        const AttentionMask& mask, std::span<float> weights) {
  check_query(q);
  const std::int64_t width = q.shape()[2];
  Attention problem = problem_of(q, cached.length, cached.capacity * width, heads, mask, weights);
  problem.k.data = cached.keys, problem.v.data = cached.values;
  const Tensor y = tape_of(q).result(q.shape(), {});
  attention_forward(problem, like(problem.q, {data_of(y), false}), nullptr, or_null(weights),
                    tape_of(q).workspace());
  tape_of(q).count_flops(products(problem, 2));
  return y;
}

}  // namespace assay
