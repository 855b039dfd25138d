#include "autograd/ops_loss.h"

#include <fmt/format.h>

#include "autograd/support.h"
#include "tensor/kernels/cross_entropy.h"

namespace assay {

// sum = sum over rows of weight (log sum exp(x) - sum over k of t[k] x[k])
// dx  = d weight (softmax(x) - t),  t = (1 - smoothing) one_hot(target) + smoothing / K
SummedLoss cross_entropy(Tensor logits, std::span<const std::int32_t> targets,
                         std::span<const float> weights, float smoothing) {
  const Shape& s = logits.shape();
  const auto rows = static_cast<std::int64_t>(targets.size());
  if (s.rank() < 1 || s.rows() != rows)
    shape_error("cross_entropy", s, Shape{rows}, "one target for each row of logits is needed");
  if (!weights.empty() && weights.size() != targets.size())
    shape_error("cross_entropy", s, Shape{static_cast<std::int64_t>(weights.size())},
                "one weight for each target is needed");
  check_ids("cross_entropy", "target", targets, s[-1]);

  Tape& tape = tape_of(logits);
  const CrossEntropy problem = {rows, s[-1], data_of(logits), targets, weights, smoothing};
  SummedLoss loss = {tape.result({}, {logits}), 0};
  float* log_sum_exp = loss.sum.needs_gradient() ? tape.floats(rows) : nullptr;
  *data_of(loss.sum) = static_cast<float>(cross_entropy_forward(problem, log_sum_exp));
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (targets[i] >= 0) loss.weight += weights.empty() ? 1.0 : double{weights[i]};
  tape.record(loss.sum, [=] {
    cross_entropy_backward(problem, log_sum_exp, *gradient_of(loss.sum), gradient_into(logits));
  });
  return loss;
}

}  // namespace assay
