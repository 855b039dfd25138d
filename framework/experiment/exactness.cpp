#include "experiment/exactness.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

std::vector<std::string> inexact_reasons(const RunRecord& then, const RunRecord& now) {
  std::vector<std::string> reasons;
  const auto compare = [&](const std::string& what, const std::string& a, const std::string& b) {
    if (a != b) reasons.push_back(fmt::format("{}: {} then, {} now", what, a, b));
  };
  for (const char* name :
       {"assay", "compiler", "matrix library", "thread library", "C library", "caches", "kernels"})
    compare(name, fact(then.environment, name), fact(now.environment, name));
  compare("build", fact(then.environment, "build").substr(0, 12),
          fact(now.environment, "build").substr(0, 12));
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

}  // namespace assay
