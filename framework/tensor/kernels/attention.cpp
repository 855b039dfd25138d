#include "tensor/kernels/attention.h"

#include <algorithm>
#include <cassert>

#include "base/parallel.h"
#include "tensor/kernels/attention_kernels.h"

namespace assay {
namespace {

std::size_t size(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

// Work from which tasks pay, and queries of a task: of fixed size, whatever the machine.
constexpr double kParallelFrom = 32e6;  // floating-point operations
constexpr std::int64_t kTaskQueries = 256;
// Backward: sums over queries are kept for so many parts of a head, then folded in their order.
constexpr std::int64_t kFewHeads = 16;

bool worth_tasks(const Attention& p, double products) {
  const double pairs = static_cast<double>(p.batch * p.heads) * static_cast<double>(p.queries) *
                       static_cast<double>(p.keys);
  return 2 * products * pairs * static_cast<double>(p.head_width) * (p.causal ? 0.5 : 1.0) >=
         kParallelFrom;
}

Rows rows_of(const HeadRows& from, std::int64_t b, std::int64_t h, std::int64_t width) {
  return {from.data + b * from.batch_stride + h * width, size(from.row_stride)};
}

/// A head with its padding taken out. Where padding is not simply at the end, keys and values are
/// copied together.
class PackedHead {
 public:
  PackedHead(const Attention& p, std::int64_t b, std::int64_t h, Workspace::Impl& workspace)
      : memory_(workspace) {
    head_.queries = size(p.queries);
    head_.width = size(p.head_width);
    head_.keys = size(p.keys);
    head_.q = rows_of(p.q, b, h, p.head_width);
    head_.k = rows_of(p.k, b, h / p.sharing, p.head_width);
    head_.v = rows_of(p.v, b, h / p.sharing, p.head_width);
    head_.scale = p.scale;
    head_.causal = (p.causal || p.window > 0) && p.queries > 0;
    head_.place = p.keys - p.queries;
    // Looking both ways, a window has an end ahead, too.
    head_.offset = head_.place + (p.causal ? 0 : p.window - 1);
    if (p.window > 0) head_.behind = p.window - 1;
    if (p.bias.values) head_.bias = p.bias.values + (2 * h + 1) * p.bias.reach;
    head_.pairs = p.pair_mask;
    head_.pair_stride = size(p.keys);
    if (p.key_mask) take_out_padding(p.key_mask + b * p.keys);
  }
  const AttentionHead& operator*() const { return head_; }
  const AttentionHead* operator->() const { return &head_; }

 private:
  void take_out_padding(const std::uint8_t* mask) {
    const auto real = [](std::uint8_t m) { return m != 0; };
    const auto end = mask + head_.keys;
    const std::size_t all = head_.keys;
    head_.keys = size(std::count_if(mask, end, real));
    if (std::find_if_not(mask, end, real) - mask == static_cast<std::ptrdiff_t>(head_.keys)) return;
    const std::size_t numbers = 2 * head_.keys * head_.width;
    float* k = memory_->floats(numbers + head_.keys);  // an int32 is as large as a float
    float* v = k + head_.keys * head_.width;
    auto* positions = reinterpret_cast<std::int32_t*>(k + numbers);
    std::size_t at = 0;
    for (std::size_t j = 0; j < all; ++j) {
      if (!mask[j]) continue;
      std::copy_n(head_.k.row(j), head_.width, k + at * head_.width);
      std::copy_n(head_.v.row(j), head_.width, v + at * head_.width);
      positions[at++] = static_cast<std::int32_t>(j);
    }
    head_.k = {k, head_.width};
    head_.v = {v, head_.width};
    head_.positions = positions;
  }

  ScratchLease memory_;
  AttentionHead head_;
};

// body(i) for i below count: in parallel, or in order.
template <class Body>
void for_tasks(bool parallel, std::int64_t count, const Body& body) {
  if (parallel) return parallel_for(count, body);
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

}  // namespace

void attention_forward(const Attention& p, const HeadRowsInto& out, float* log_sum_exp,
                       float* weights, Workspace& workspace) {
  Workspace::Impl& impl = workspace.impl();
  const bool parallel = worth_tasks(p, 2);
  const std::int64_t parts = parallel ? (p.queries + kTaskQueries - 1) / kTaskQueries : 1;
  const std::int64_t part_size = parallel ? kTaskQueries : p.queries;
  if (weights && !log_sum_exp)
    log_sum_exp = impl.scratch.floats(size(p.batch * p.heads * p.queries));
  for_tasks(parallel, p.batch * p.heads * parts, [&](std::int64_t task) {
    const std::int64_t bh = task / parts, b = bh / p.heads, h = bh % p.heads;
    const std::int64_t first = task % parts * part_size;
    const PackedHead head(p, b, h, impl);
    const ScratchLease scratch(impl);
    AttentionOutput to;
    to.data = out.into.data + b * out.batch_stride + h * p.head_width;
    to.stride = size(out.row_stride);
    to.accumulate = out.into.accumulate;
    to.log_sum_exp = log_sum_exp ? log_sum_exp + bh * p.queries : nullptr;
    attention_queries(*head, size(first), size(std::min(p.queries, first + part_size)), to,
                      *scratch);
    if (weights && first == 0 && parts == 1)
      attention_weights(*head, to.log_sum_exp, size(p.keys), weights + bh * p.queries * p.keys,
                        *scratch);
  });
  if (!weights || parts == 1) return;
  for_tasks(parallel, p.batch * p.heads, [&](std::int64_t bh) {
    const PackedHead head(p, bh / p.heads, bh % p.heads, impl);
    const ScratchLease scratch(impl);
    attention_weights(*head, log_sum_exp + bh * p.queries, size(p.keys),
                      weights + bh * p.queries * p.keys, *scratch);
  });
}

namespace {

// Sums over the queries of a head to where they belong; keys that are padding get 0.
void write_key_gradient(const AttentionHead& head, std::size_t keys, const KeySums& sums,
                        float factor, float* out, const HeadRowsInto& into) {
  const auto stride = size(into.row_stride);
  if (!head.positions) {
    attention_key_gradient(sums, head.keys, head.width, factor, {out, into.into.accumulate},
                           stride);
    if (!into.into.accumulate)
      for (std::size_t j = head.keys; j < keys; ++j)
        std::fill_n(out + j * stride, head.width, 0.0F);
    return;
  }
  std::size_t next = 0;
  for (std::size_t j = 0; j < keys; ++j) {
    const bool real = next < head.keys && head.position(next) == static_cast<std::int64_t>(j);
    if (real) {
      KeySums row = sums;
      row.data += next++ * attention_padded_width(head.width);
      attention_key_gradient(row, 1, head.width, factor, {out + j * stride, into.into.accumulate},
                             stride);
    } else if (!into.into.accumulate) {
      std::fill_n(out + j * stride, head.width, 0.0F);
    }
  }
}

}  // namespace

void attention_backward(const Attention& p, const AttentionResult& result, const HeadRowsInto& dq,
                        const HeadRowsInto& dk, const HeadRowsInto& dv, Workspace& workspace,
                        float* dbias) {
  Workspace::Impl& impl = workspace.impl();
  const bool parallel = worth_tasks(p, 5);
  const std::int64_t heads = p.batch * p.heads;
  const std::int64_t parts = parallel && heads < kFewHeads
                                 ? std::clamp<std::int64_t>(p.queries / kTaskQueries, 1, kFewHeads)
                                 : 1;
  // Whole tiles of the widest target to each part.
  const std::int64_t part_size = ((p.queries + parts - 1) / parts + 63) / 64 * 64;
  const bool sums_wanted = dk.into.data || dv.into.data;
  const std::size_t sums_size =
      size(p.keys) * attention_padded_width(size(p.head_width));  // of dk or dv
  // One set for each task that may run at once, or, in parts, for each task. Tasks have sums of the
  // bias of their own, too.
  const std::size_t sets = size(parallel ? heads * parts : 1);
  const std::size_t bias_size = dbias && parallel ? size(2 * p.bias.reach) : 0;
  float* all_sums =
      impl.scratch.floats((sums_wanted ? 2 * sums_size * sets : 0) + bias_size * sets);
  float* bias_sums = all_sums + (sums_wanted ? 2 * sums_size * sets : 0);
  const auto finish = [&](const AttentionHead& head, std::int64_t bh, const float* sums) {
    const std::int64_t b = bh / p.heads, h = bh % p.heads;
    const auto write = [&](const float* first, float factor, const HeadRowsInto& into) {
      if (into.into.data)
        write_key_gradient(head, size(p.keys), {first, size(parts), 2 * sums_size}, factor,
                           into.into.data + b * into.batch_stride + h * p.head_width, into);
    };
    write(sums, p.scale, dk);
    write(sums + sums_size, 1.0F, dv);
  };
  for_tasks(parallel, heads * parts, [&](std::int64_t task) {
    const std::int64_t bh = task / parts, b = bh / p.heads, h = bh % p.heads;
    const std::int64_t first = std::min(p.queries, task % parts * part_size);
    const PackedHead head(p, b, h, impl);
    const ScratchLease scratch(impl);
    AttentionGradient g;
    g.out = rows_of(result.out, b, h, p.head_width);
    g.dout = rows_of(result.dout, b, h, p.head_width);
    g.log_sum_exp = result.log_sum_exp + bh * p.queries;
    if (dq.into.data)
      g.dq = {dq.into.data + b * dq.batch_stride + h * p.head_width, dq.into.accumulate};
    g.dq_stride = size(dq.row_stride);
    if (dbias) {
      float* row = parallel ? bias_sums + bias_size * size(task) : dbias + h * 2 * p.bias.reach;
      std::fill_n(row, bias_size, 0.0F);
      g.dbias = row + p.bias.reach;
    }
    float* sums = nullptr;
    if (sums_wanted) {
      sums = all_sums + (parallel ? 2 * sums_size * size(task) : 0);
      std::fill_n(sums, 2 * sums_size, 0.0F);
      g.dk = sums;
      g.dv = sums + sums_size;
    }
    attention_gradient(*head, size(first), size(std::min(p.queries, first + part_size)), g,
                       *scratch);
    if (sums_wanted && parts == 1) finish(*head, bh, sums);
  });
  if (dbias && parallel)
    for (std::int64_t task = 0; task < heads * parts; ++task) {
      float* to = dbias + task / parts % p.heads * 2 * p.bias.reach;
      const float* from = bias_sums + bias_size * size(task);
      for (std::size_t i = 0; i < bias_size; ++i) to[i] += from[i];
    }
  if (sums_wanted && parts > 1)
    for_tasks(parallel, heads, [&](std::int64_t bh) {
      const PackedHead head(p, bh / p.heads, bh % p.heads, impl);
      finish(*head, bh, all_sums + 2 * sums_size * size(bh * parts));
    });
}

void fold_shared_heads(std::int64_t rows, std::int64_t heads, std::int64_t sharing,
                       std::int64_t width, const float* wide, Into out) {
  for (std::int64_t group = 0; group < rows * (heads / sharing); ++group) {
    const float* from = wide + group * sharing * width;
    float* to = out.data + group * width;
    for (std::int64_t w = 0; w < width; ++w) {
      float sum = from[w];
      for (std::int64_t s = 1; s < sharing; ++s) sum += from[s * width + w];
      to[w] = out.accumulate ? to[w] + sum : sum;
    }
  }
}

}  // namespace assay
