#include "experiment/exactness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace assay {
namespace {

std::string fact(const Facts& facts, std::string_view name) {
  for (const auto& [key, value] : facts)
    if (key == name) return value;
  return "unknown";
}

const PluginIdentity* find(const std::vector<PluginIdentity>& plugins, const PluginIdentity& same) {
  const auto found = std::find_if(plugins.begin(), plugins.end(), [&](const PluginIdentity& p) {
    return p.kind == same.kind && p.name == same.name;
  });
  return found == plugins.end() ? nullptr : &*found;
}

struct Parting {
  std::int64_t step = 0;
  std::string text;
};

std::optional<Parting> parting(const std::string& metric, const Series& then, const Series& now) {
  const std::size_t both = std::min(then.steps.size(), now.steps.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (then.steps[i] != now.steps[i])
      return Parting{std::min(then.steps[i], now.steps[i]), metric + " has other steps"};
    if (std::memcmp(&then.values[i], &now.values[i], sizeof now.values[i]) != 0)
      return Parting{then.steps[i],
                     fmt::format("{} was {}, is {}", metric, then.values[i], now.values[i])};
  }
  if (then.steps.size() == now.steps.size()) return std::nullopt;
  const Series& longer = then.steps.size() > both ? then : now;
  return Parting{longer.steps[both], metric + " is there in one of them only"};
}

}  // namespace

std::vector<std::string> inexact_reasons(const RunRecord& then, const RunRecord& now) {
  std::vector<std::string> reasons;
  const auto compare = [&](const std::string& what, const std::string& a, const std::string& b) {
    if (a != b) reasons.push_back(fmt::format("{}: {} then, {} now", what, a, b));
  };
  for (const char* name : {"assay", "compiler", "caches", "kernels"})
    compare(name, fact(then.environment, name), fact(now.environment, name));
  for (const PluginIdentity& plugin : now.plugins) {
    const PluginIdentity* before = find(then.plugins, plugin);
    const std::string what = plugin.kind + " " + plugin.name;
    if (!before) continue;
    compare(what, before->version, plugin.version);
    if (before->version == plugin.version)
      compare(what, "SHA-256 " + before->sha256.substr(0, 12),
              "SHA-256 " + plugin.sha256.substr(0, 12));
  }
  compare("data", fact(then.data, "digest").substr(0, 12), fact(now.data, "digest").substr(0, 12));
  return reasons;
}

std::string first_difference(const RunRecord& then, const RunRecord& now) {
  std::optional<Parting> first;
  const auto consider = [&](std::optional<Parting> found) {
    if (found && (!first || found->step < first->step)) first = std::move(found);
  };
  for (const auto& [metric, series] : then.metrics) {
    const auto other = now.metrics.find(metric);
    consider(parting(metric, series, other == now.metrics.end() ? Series() : other->second));
  }
  for (const auto& [metric, series] : now.metrics)
    if (!then.metrics.contains(metric)) consider(parting(metric, {}, series));
  return first ? fmt::format("step {}: {}", first->step, first->text) : "";
}

}  // namespace assay
