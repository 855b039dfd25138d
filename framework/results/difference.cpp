#include "results/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "results/comparison.h"

namespace assay {
namespace {

std::optional<std::string> find(const Facts& facts, const std::string& name) {
  for (const auto& [key, text] : facts)
    if (key == name) return text;
  return std::nullopt;
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

const Series* series_of(const RunRecord& record, const std::string& metric) {
  const auto found = record.metrics.find(metric);
  return found == record.metrics.end() ? nullptr : &found->second;
}

/// Zero where the arrays are not of numbers of one kind.
void measure(const StateArray& a, const StateArray& b, WeightDistance& out) {
  const auto* left = std::get_if<std::vector<float>>(&a.data);
  const auto* right = std::get_if<std::vector<float>>(&b.data);
  if (!left || !right || a.shape != b.shape) {
    out.only = "shape";
    return;
  }
  double squares = 0, norm = 0;
  for (std::size_t i = 0; i < left->size(); ++i) {
    const double difference = double{(*right)[i]} - double{(*left)[i]};
    squares += difference * difference;
    norm += double{(*left)[i]} * double{(*left)[i]};
    out.largest = std::max(out.largest, std::abs(difference));
    out.differing += !same_bits((*left)[i], (*right)[i]);
  }
  out.count = static_cast<std::int64_t>(left->size());
  out.distance = std::sqrt(squares);
  out.relative = squares == 0 ? 0 : std::sqrt(squares / norm);
}

}  // namespace

std::vector<FactDifference> differences(const Facts& a, const Facts& b) {
  std::vector<FactDifference> out;
  for (const auto& [name, text] : a) {
    const auto other = find(b, name);
    if (other != text) out.push_back({name, text, other});
  }
  for (const auto& [name, text] : b)
    if (!find(a, name)) out.push_back({name, std::nullopt, text});
  return out;
}

Facts plugin_facts(const RunRecord& record) {
  Facts facts;
  for (const PluginIdentity& plugin : record.plugins)
    facts.emplace_back(fmt::format("{} {}", plugin.kind, plugin.name),
                       fmt::format("{}, sha256 {}", plugin.version, plugin.sha256.substr(0, 12)));
  return facts;
}

std::vector<WeightDistance> weight_distances(const State& a, const State& b) {
  std::vector<WeightDistance> out;
  for (const auto& [path, array] : a) {
    WeightDistance& one = out.emplace_back();
    one.path = path;
    const auto other = b.find(path);
    if (other == b.end())
      one.only = "a";
    else
      measure(array, other->second, one);
  }
  for (const auto& [path, array] : b)
    if (a.find(path) == a.end()) {
      out.emplace_back().path = path;
      out.back().only = "b";
    }
  return out;
}

std::optional<Parting> first_parting(const RunRecord& a, const RunRecord& b, Compared rows) {
  std::set<std::string> metrics;
  for (const auto& [metric, series] : a.metrics) metrics.insert(metric);
  for (const auto& [metric, series] : b.metrics) metrics.insert(metric);
  std::optional<Parting> first;
  for (const std::string& metric : metrics) {
    const JoinedSteps joined = join_by_step({series_of(a, metric), series_of(b, metric)});
    for (std::size_t row = 0; row < joined.steps.size(); ++row) {
      const auto &left = joined.values[0][row], &right = joined.values[1][row];
      const bool both = left && right;
      if (both ? same_bits(*left, *right) : rows == Compared::common) continue;
      if (!first || joined.steps[row] < first->step)
        first = Parting{joined.steps[row], metric, left, right};
      break;
    }
  }
  return first;
}

}  // namespace assay
