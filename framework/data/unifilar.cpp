#include "data/unifilar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/random.h"

namespace assay {
namespace {

// States that can be reached from state 0 along edges.
std::size_t count_reached(const std::vector<std::vector<std::int32_t>>& edges) {
  std::vector<bool> seen(edges.size());
  std::vector<std::int32_t> open = {0};
  seen[0] = true;
  std::size_t count = 0;
  while (!open.empty()) {
    const auto state = static_cast<std::size_t>(open.back());
    open.pop_back();
    ++count;
    for (const std::int32_t next : edges[state]) {
      if (seen[static_cast<std::size_t>(next)]) continue;
      seen[static_cast<std::size_t>(next)] = true;
      open.push_back(next);
    }
  }
  return count;
}

[[noreturn]] void refuse(std::int64_t state, std::string_view what) {
  throw Error(ExitCode::plugin, fmt::format("source of text: state {} {}", state, what));
}

}  // namespace

UnifilarSource::UnifilarSource(std::vector<std::vector<Transition>> states) {
  first_.push_back(0);
  for (std::vector<Transition>& from : states) {
    std::sort(from.begin(), from.end(),
              [](const Transition& a, const Transition& b) { return a.symbol < b.symbol; });
    transitions_.insert(transitions_.end(), from.begin(), from.end());
    first_.push_back(transitions_.size());
    total_.push_back(std::accumulate(
        from.begin(), from.end(), std::int64_t{0},
        [](std::int64_t sum, const Transition& transition) { return sum + transition.weight; }));
  }
  check();
}

void UnifilarSource::check() const {
  std::vector<std::vector<std::int32_t>> forward(total_.size()), backward(total_.size());
  for (std::int32_t state = 0; state < states(); ++state) {
    const std::span<const Transition> out = from(state);
    if (out.empty()) refuse(state, "leads nowhere");
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i].weight < 1) refuse(state, "has a weight below 1");
      if (out[i].next < 0 || out[i].next >= states()) refuse(state, "leads to no state");
      if (i > 0 && out[i].symbol == out[i - 1].symbol) refuse(state, "has a character twice");
      forward[static_cast<std::size_t>(state)].push_back(out[i].next);
      backward[static_cast<std::size_t>(out[i].next)].push_back(state);
    }
  }
  if (total_.empty()) refuse(0, "is missing");
  if (count_reached(forward) < total_.size()) refuse(0, "does not lead to every other one");
  if (count_reached(backward) < total_.size()) refuse(0, "cannot be reached from every other one");
}

std::span<const Transition> UnifilarSource::from(std::int32_t state) const {
  const auto at = static_cast<std::size_t>(state);
  return std::span(transitions_).subspan(first_[at], first_[at + 1] - first_[at]);
}

std::string UnifilarSource::generate(std::uint64_t seed, std::int64_t length) const {
  const Random random(seed, "unifilar source");
  std::string text(static_cast<std::size_t>(length), '\0');
  std::int32_t state = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::span<const Transition> out = from(state);
    std::size_t choice = 0;
    if (out.size() > 1) {
      const auto total = static_cast<std::uint64_t>(total_weight(state));
      auto drawn = static_cast<std::int64_t>(random.below(i, total));
      while (drawn >= out[choice].weight) drawn -= out[choice++].weight;
    }
    text[i] = out[choice].symbol;
    state = out[choice].next;
  }
  return text;
}

double UnifilarSource::log_probability(std::string_view text) const {
  double sum = 0;
  std::int32_t state = 0;
  for (const char symbol : text) {
    const std::span<const Transition> out = from(state);
    const auto found = std::find_if(out.begin(), out.end(), [symbol](const Transition& transition) {
      return transition.symbol == symbol;
    });
    if (found == out.end()) return -std::numeric_limits<double>::infinity();
    sum += std::log(static_cast<double>(found->weight) / static_cast<double>(total_weight(state)));
    state = found->next;
  }
  return sum;
}

// States so that each one comes before those it leads to, but for the edges that close a cycle:
// depth first from state 0, the last one left is the first.
std::vector<std::size_t> UnifilarSource::order() const {
  std::vector<std::size_t> order, next_edge(total_.size());
  std::vector<bool> seen(total_.size());
  std::vector<std::size_t> path = {0};
  seen[0] = true;
  while (!path.empty()) {
    const std::size_t state = path.back();
    const std::size_t edge = first_[state] + next_edge[state]++;
    if (edge == first_[state + 1]) {
      order.push_back(state);
      path.pop_back();
      continue;
    }
    const auto next = static_cast<std::size_t>(transitions_[edge].next);
    if (seen[next]) continue;
    seen[next] = true;
    path.push_back(next);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Gauss-Seidel: each state's frequency from those that lead to it, until nothing changes. In this
// order one sweep follows the text through a whole cycle.
std::vector<double> UnifilarSource::stationary() const {
  struct Edge {
    std::size_t from;
    double probability;
  };
  constexpr int kMostSweeps = 100'000;
  constexpr double kSmallChange = 1e-15;
  const std::size_t count = total_.size();
  std::vector<std::vector<Edge>> into(count);
  std::vector<double> staying(count);
  for (std::size_t state = 0; state < count; ++state)
    for (const Transition& transition : from(static_cast<std::int32_t>(state))) {
      const auto next = static_cast<std::size_t>(transition.next);
      const double p = static_cast<double>(transition.weight) / static_cast<double>(total_[state]);
      if (next == state)
        staying[state] += p;
      else
        into[next].push_back({state, p});
    }
  const std::vector<std::size_t> sweep_order = order();
  std::vector<double> frequency(count, 1.0 / static_cast<double>(count));
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double change = 0, sum = 0;
    for (const std::size_t state : sweep_order) {
      if (into[state].empty()) continue;  // the only state
      double flow = 0;
      for (const Edge& edge : into[state]) flow += frequency[edge.from] * edge.probability;
      flow /= 1 - staying[state];
      change += std::abs(flow - frequency[state]);
      frequency[state] = flow;
    }
    for (const double f : frequency) sum += f;
    for (double& f : frequency) f /= sum;
    if (change < kSmallChange * static_cast<double>(count) * sum) break;
  }
  return frequency;
}

double UnifilarSource::entropy(std::int32_t state) const {
  double sum = 0;
  for (const Transition& transition : from(state)) {
    const double p =
        static_cast<double>(transition.weight) / static_cast<double>(total_weight(state));
    sum -= p * std::log(p);
  }
  return sum;
}

double UnifilarSource::entropy_rate() const {
  const std::vector<double> frequency = stationary();
  double rate = 0;
  for (std::int32_t state = 0; state < states(); ++state)
    rate += frequency[static_cast<std::size_t>(state)] * entropy(state);
  return rate;
}

}  // namespace assay
