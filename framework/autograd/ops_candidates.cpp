#include "autograd/ops_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/support.h"
#include "tensor/kernels/candidates.h"

namespace assay {
namespace {

void check(std::string_view operation, const Shape& table, std::span<const std::int32_t> ids,
           const Shape& shape) {
  if (table.rank() != 2) shape_error(operation, table, "the table must be a matrix");
  if (shape.rank() < 1 || shape.elements() != static_cast<std::int64_t>(ids.size()))
    shape_error(operation, table, shape, fmt::format("the shape has not {} ids", ids.size()));
  check_ids(operation, "id", ids, table[0]);
}

}  // namespace

// y[i] = 1/|ids[i]| sum over id in ids[i] of table[id]     dtable[id] += dy[i] / |ids[i]|
Tensor embedding_mean(Tensor table, std::span<const std::int32_t> ids, const Shape& shape) {
  check("embedding_mean", table.shape(), ids, shape);
  const std::int64_t width = table.shape()[1], each = shape[-1];
  const Tensor y = tape_of(table).result(leading(shape, shape.rank() - 1).appended(width), {table});
  mean_rows(data_of(table), width, ids, each, data_of(y));
  tape_of(table).record(y, [=] {
    scatter_mean_rows(gradient_of(y), width, ids, each, table.shape()[0], gradient_into(table));
  });
  return y;
}

// y[i, m] = x[i] . table[ids[i, m]]     dx[i] = sum over m of dy[i, m] table[ids[i, m]]
//                                       dtable[ids[i, m]] += dy[i, m] x[i]
Tensor candidate_scores(Tensor x, Tensor table, std::span<const std::int32_t> ids,
                        const Shape& shape) {
  check("candidate_scores", table.shape(), ids, shape);
  const Shape& xs = x.shape();
  if (xs.rank() != shape.rank() || leading(xs, xs.rank() - 1) != leading(shape, shape.rank() - 1) ||
      xs[-1] != table.shape()[1])
    shape_error(
        "candidate_scores", xs, shape,
        fmt::format("wanted [..., D] and ids [..., M] for a table of width {}", table.shape()[1]));
  Tape& tape = tape_of(x);
  const std::int64_t width = xs[-1], each = shape[-1];
  const Tensor y = tape.result(shape, {x, table});
  score_rows(data_of(x), data_of(table), width, ids, each, data_of(y));
  tape.count_flops(2.0 * static_cast<double>(shape.elements() * width));
  tape.record(y, [=] {
    const float* dy = gradient_of(y);
    add_scored_rows(dy, data_of(table), width, ids, each, gradient_into(x));
    scatter_scored_rows(dy, data_of(x), width, ids, each, table.shape()[0], gradient_into(table));
    tape_of(y).count_flops(4.0 * static_cast<double>(y.shape().elements() * width));
  });
  return y;
}

// sum = sum over i of log(1 + exp(x[i])) - t[i] x[i]     dx[i] = d (sigmoid(x[i]) - t[i])
SummedLoss binary_cross_entropy(Tensor logits, std::span<const float> labels) {
  if (logits.elements() != static_cast<std::int64_t>(labels.size()))
    shape_error("binary_cross_entropy", logits.shape(),
                Shape{static_cast<std::int64_t>(labels.size())},
                "one label for each logit is needed");
  SummedLoss loss = {tape_of(logits).result({}, {logits}), 0};
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0) continue;
    const double x = logits.values()[i];
    sum += std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))) - double{labels[i]} * x;
    ++loss.weight;
  }
  *data_of(loss.sum) = static_cast<float>(sum);
  tape_of(logits).record(loss.sum, [=] {
    const Into into = gradient_into(logits);
    const float seed = *gradient_of(loss.sum);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const float p = 1 / (1 + std::exp(-logits.values()[i]));
      const float d = labels[i] < 0 ? 0 : seed * (p - labels[i]);
      into.data[i] = into.accumulate ? into.data[i] + d : d;
    }
  });
  return loss;
}

}  // namespace assay
