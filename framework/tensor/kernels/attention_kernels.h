// Attention of one head: what attention.cpp spreads over sequences, heads and threads.
#pragma once

#include <cstddef>

#include "tensor/kernels/attention_head.h"
#include "tensor/kernels/into.h"
#include "tensor/kernels/workspace_impl.h"

namespace assay {

/// Rows of the output, and their log-sum-exp [queries] or null.
struct AttentionOutput {
  float* data = nullptr;
  std::size_t stride = 0;
  bool accumulate = false;
  float* log_sum_exp = nullptr;
};

/// Queries [first, last) of a head.
void attention_queries(const AttentionHead& head, std::size_t first, std::size_t last,
                       const AttentionOutput& out, Scratch& memory);

/// weights [queries, stride] by position.
void attention_weights(const AttentionHead& head, const float* log_sum_exp, std::size_t stride,
                       float* weights, Scratch& memory);

struct AttentionGradient {
  Rows out, dout;
  const float* log_sum_exp = nullptr;  // [queries]
  Into dq;                             // null: not wanted
  std::size_t dq_stride = 0;
  // dk, dv [keys][padded]: sums over the queries. Both null: not wanted.
  float* dk = nullptr;
  float* dv = nullptr;
  float* dbias = nullptr;  // of distance 0, added to; null: not wanted
};

/// A head's width in whole vectors.
std::size_t attention_padded_width(std::size_t width);

/// Queries [first, last) of a head: writes their dq, adds to dk and dv.
void attention_gradient(const AttentionHead& head, std::size_t first, std::size_t last,
                        const AttentionGradient& gradient, Scratch& memory);

/// dk or dv of the keys of a head, one [keys][padded] for each part of its queries, part_stride
/// apart.
struct KeySums {
  const float* data = nullptr;
  std::size_t parts = 1, part_stride = 0;
};
/// out [rows, width], with its stride, = factor times the sum of the parts, in their order.
void attention_key_gradient(const KeySums& sums, std::size_t rows, std::size_t width, float factor,
                            Into out, std::size_t stride);

}  // namespace assay
