#include "autograd/ops_experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "autograd/support.h"
#include "tensor/kernels/candidates.h"

namespace assay {
namespace {

// The numbers of the k largest of a row, the largest first; of equal ones the lower.
void choose(std::span<const float> row, std::span<std::int32_t> chosen) {
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    std::int32_t best = -1;
    for (std::size_t e = 0; e < row.size(); ++e) {
      const auto id = static_cast<std::int32_t>(e);
      if (std::find(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(j), id) !=
          chosen.begin() + static_cast<std::ptrdiff_t>(j))
        continue;
      if (best < 0 || row[e] > row[static_cast<std::size_t>(best)]) best = id;
    }
    chosen[j] = best;
  }
}

}  // namespace

// one:     w = p[c]                          dp[c] = dw
// several: w[j] = p[c_j] / s, s = sum of p[c]    dp[c_j] = (dw[j] - sum over i of dw[i] w[i]) / s
Gates top_gates(Tensor probabilities, std::int64_t k) {
  const Shape& s = probabilities.shape();
  if (s.rank() != 2 || k < 1 || k > s[1])
    shape_error("top_gates", s, fmt::format("wanted [T, E] with E of {} or more", k));
  Tape& tape = tape_of(probabilities);
  const std::int64_t tokens = s[0], experts = s[1];
  auto* chosen = static_cast<std::int32_t*>(
      tape.arena().take(static_cast<std::size_t>(tokens * k) * sizeof(std::int32_t)));
  const Tensor weights = tape.result({tokens, k}, {probabilities});
  float* totals = tape.floats(tokens);
  const auto width = static_cast<std::size_t>(k);
  for (std::int64_t t = 0; t < tokens; ++t) {
    const float* p = data_of(probabilities) + t * experts;
    std::int32_t* c = chosen + t * k;
    choose({p, static_cast<std::size_t>(experts)}, {c, width});
    totals[t] = 0;
    for (std::size_t j = 0; j < width; ++j) totals[t] += p[c[j]];
    if (k == 1) totals[t] = 1;
    for (std::size_t j = 0; j < width; ++j)
      data_of(weights)[static_cast<std::size_t>(t) * width + j] = p[c[j]] / totals[t];
  }
  tape.record(weights, [=] {
    const Into into = gradient_into(probabilities);
    if (!into.accumulate) std::fill_n(into.data, tokens * experts, 0.0F);
    for (std::int64_t t = 0; t < tokens; ++t) {
      const float* d = gradient_of(weights) + t * k;
      const float* w = data_of(weights) + t * k;
      const float common = k == 1 ? 0 : std::inner_product(d, d + k, w, 0.0F);
      for (std::int64_t j = 0; j < k; ++j)
        into.data[t * experts + chosen[t * k + j]] += (d[j] - common) / totals[t];
    }
  });
  return {{chosen, static_cast<std::size_t>(tokens * k)}, weights};
}

// y = E sum over i of f[i] mean over t of p[t, i]     dp[t, i] = dy E f[i] / tokens that count
Tensor load_balance(Tensor probabilities, std::span<const std::int32_t> chosen,
                    std::span<const std::uint8_t> marks) {
  const Shape& s = probabilities.shape();
  Tape& tape = tape_of(probabilities);
  const std::int64_t tokens = s[0], experts = s[1];
  const auto k = static_cast<std::int64_t>(chosen.size()) / std::max<std::int64_t>(1, tokens);
  const auto counts = [=](std::int64_t t) {
    return marks.empty() || marks[static_cast<std::size_t>(t)] != 0;
  };
  float* factor = tape.floats(experts);  // E f[i] / tokens that count
  std::fill_n(factor, experts, 0.0F);
  double counted = 0;
  for (std::int64_t t = 0; t < tokens; ++t) {
    if (!counts(t)) continue;
    ++counted;
    for (std::int64_t j = 0; j < k; ++j) factor[chosen[static_cast<std::size_t>(t * k + j)]] += 1;
  }
  for (std::int64_t i = 0; counted > 0 && i < experts; ++i)
    factor[i] = static_cast<float>(static_cast<double>(factor[i]) * static_cast<double>(experts) /
                                   (static_cast<double>(k) * counted * counted));
  double total = 0;
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t i = 0; counts(t) && i < experts; ++i)
      total += static_cast<double>(factor[i]) *
               static_cast<double>(data_of(probabilities)[t * experts + i]);
  const Tensor y = tape.result({}, {probabilities});
  *data_of(y) = static_cast<float>(total);
  tape.record(y, [=] {
    const Into into = gradient_into(probabilities);
    const float d = *gradient_of(y);
    for (std::int64_t t = 0; t < tokens; ++t)
      for (std::int64_t i = 0; i < experts; ++i) {
        float& to = into.data[t * experts + i];
        const float add = counts(t) ? d * factor[i] : 0.0F;
        to = into.accumulate ? to + add : add;
      }
  });
  return y;
}

Tensor stack_rows(std::span<const Tensor> parts) {
  const Shape& first = parts.front().shape();
  std::int64_t rows = 0;
  Tensor any = parts.front();  // one that needs a gradient, if one does
  for (const Tensor& part : parts) {
    if (part.shape().rank() != 2 || part.shape()[1] != first[1])
      shape_error("stack_rows", first, part.shape(), "wanted matrices of one width");
    rows += part.shape()[0];
    if (part.needs_gradient()) any = part;
  }
  Tape& tape = tape_of(any);
  const Tensor y = tape.result({rows, first[1]}, {any});
  auto* kept = static_cast<Tensor*>(tape.arena().take(parts.size_bytes()));
  std::uninitialized_copy(parts.begin(), parts.end(), kept);
  float* to = data_of(y);
  for (const Tensor& part : parts) to = std::copy_n(data_of(part), part.elements(), to);
  tape.record(y, [=, count = parts.size()] {
    const float* from = gradient_of(y);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t size = kept[i].elements();
      const Into into = gradient_into(kept[i]);
      for (std::int64_t at = 0; into.data && at < size; ++at)
        into.data[at] = into.accumulate ? into.data[at] + from[at] : from[at];
      from += size;
    }
  });
  return y;
}

// y[t] = sum over j of w[t, j] table[ids[t, j]]     dw[t, j] = dy[t] . table[ids[t, j]]
//                                                   dtable[ids[t, j]] += w[t, j] dy[t]
Tensor weighted_rows(Tensor weights, Tensor table, std::span<const std::int32_t> ids) {
  const Shape &ws = weights.shape(), &ts = table.shape();
  if (ws.rank() != 2 || ts.rank() != 2 || ws.elements() != static_cast<std::int64_t>(ids.size()))
    shape_error("weighted_rows", ws, ts, fmt::format("wanted [T, k] for {} ids", ids.size()));
  check_ids("weighted_rows", "id", ids, ts[0]);
  Tape& tape = tape_of(weights);
  const std::int64_t width = ts[1], each = ws[1], rows = ts[0];
  const Tensor y = tape.result({ws[0], width}, {weights, table});
  add_scored_rows(data_of(weights), data_of(table), width, ids, each, {data_of(y), false});
  tape.count_flops(2.0 * static_cast<double>(ws.elements() * width));
  tape.record(y, [=] {
    const float* dy = gradient_of(y);
    if (weights.needs_gradient()) {
      float* d = tape_of(y).floats(weights.elements());
      score_rows(dy, data_of(table), width, ids, each, d);
      const Into into = gradient_into(weights);
      for (std::int64_t i = 0; i < weights.elements(); ++i)
        into.data[i] = into.accumulate ? into.data[i] + d[i] : d[i];
    }
    if (table.needs_gradient())
      scatter_scored_rows(data_of(weights), dy, width, ids, each, rows, gradient_into(table));
    tape_of(y).count_flops(4.0 * static_cast<double>(weights.elements() * width));
  });
  return y;
}

}  // namespace assay
