#include "nn/experts.h"

#include <algorithm>
#include <string>

namespace assay {
namespace {

// Products get shapes of few kinds, however the tokens fall: each kind is prepared once.
constexpr std::int64_t kRows = 16;

}  // namespace

Experts::Experts(const Scope& scope, const MlpOptions& mlp, const ExpertOptions& options)
    : options_(options), dropout_(scope, mlp.dropout) {
  LinearOptions linear;
  linear.bias = false;
  router_ = Linear(scope / "router", mlp.width, options.experts, linear);
  MlpOptions one = mlp;
  one.dropout = 0;
  for (std::int64_t i = 0; i < options.experts; ++i)
    experts_.emplace_back(scope / std::string("expert").append(std::to_string(i)), one);
}

Tensor Experts::add_to(Tensor residual, Tensor x, std::span<const std::uint8_t> keys,
                       Pass& pass) const {
  const Shape& shape = x.shape();
  const Tensor tokens = reshape(x, {shape.rows(), shape[-1]});  // [T, D]
  const Tensor probabilities = softmax(router_(tokens, pass));  // [T, E]
  const auto [chosen, weights] = top_gates(probabilities, options_.per_token);
  if (pass.training() && options_.balance > 0)
    pass.penalise(
        scale(load_balance(probabilities, chosen, keys), static_cast<float>(options_.balance)));

  Arena& arena = pass.tape().arena();
  const auto take = [&](std::size_t count) {
    return std::span(static_cast<std::int32_t*>(arena.take(count * sizeof(std::int32_t))), count);
  };
  const auto places = take(chosen.size());  // of each choice among the rows of all experts
  std::vector<Tensor> outputs;
  std::int64_t rows = 0;
  for (std::size_t e = 0; e < experts_.size(); ++e) {
    const auto count = std::count(chosen.begin(), chosen.end(), static_cast<std::int32_t>(e));
    if (count == 0) continue;
    const auto seen = take(static_cast<std::size_t>((count + kRows - 1) / kRows * kRows));
    std::fill(seen.begin(), seen.end(), -1);
    std::size_t row = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i] != static_cast<std::int32_t>(e)) continue;
      places[i] = static_cast<std::int32_t>(rows) + static_cast<std::int32_t>(row);
      seen[row++] = static_cast<std::int32_t>(i / static_cast<std::size_t>(options_.per_token));
    }
    const auto padded = static_cast<std::int64_t>(seen.size());
    outputs.push_back(experts_[e](embedding(tokens, seen, {padded}), pass));
    rows += padded;
  }
  const Tensor mixed = weighted_rows(weights, stack_rows(outputs), places);  // [T, D]
  return add(residual, dropout_(reshape(mixed, shape), pass));
}

}  // namespace assay
