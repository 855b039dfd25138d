#include "experiment/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "config/interpolation.h"
#include "config/yaml.h"

namespace assay {
namespace {

// The paths of all values that have no keys of their own, in order.
void collect_leaves(const Value& value, const std::string& path, std::vector<std::string>& leaves) {
  if (!value.is_map() || value.entries().empty()) {
    leaves.push_back(path);
    return;
  }
  for (const auto& [key, entry] : value.entries())
    collect_leaves(entry, path.empty() ? key : path + "." + key, leaves);
}

// Everything that sets values, from the lowest up.
std::vector<Value> layers_of(const ComposedExperiment& composed, const Trial& trial) {
  std::vector<Value> layers;
  for (const ConfigPart* part : parts_in_order(composed.file)) layers.push_back(part->own);
  layers.insert(layers.end(), trial.layers.begin(), trial.layers.end());
  return layers;
}

bool is_at_or_below(const std::string& path, const std::string& key) {
  return path == key || (path.size() > key.size() && path.compare(0, key.size(), key) == 0 &&
                         path[key.size()] == '.');
}

std::string owner_of_default(const std::string& path, const Value& resolved) {
  const std::string section = path.substr(0, path.rfind('.'));
  const Value* type = section == path ? nullptr : resolved.at_path(section + ".type");
  if (path == section + ".type") return "default";
  return type ? fmt::format("default of {} '{}'", section, type->text()) : "default";
}

Explanation explain_leaf(const std::string& path, const std::vector<Value>& layers,
                         const RunSetup& setup) {
  Explanation result;
  result.key = path;
  if (const Value* value = setup.resolved.at_path(path)) result.value = write_yaml_flow(*value);
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
    if (const Value* written = layer->at_path(path))
      result.settings.push_back({written->at().text(), write_yaml_flow(*written)});
  // Settings that another type of the section, or a deletion above them, has done away with.
  const Value* holds = setup.written.at_path(path);
  if (!holds || holds->is_null()) result.otherwise = owner_of_default(path, setup.resolved);
  return result;
}

// Whether a configuration is the same run.
bool is_same_run(const Value& config, const RunSetup& setup, SetupReader& reader) {
  Problems problems;
  std::vector<Location> left;
  const RunSetup other = reader.read(interpolate(config, problems, left), problems);
  return problems.empty() && other.config_hash == setup.config_hash;
}

Value without_path(const Value& value, std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return value.without(path);
  const std::string_view key = path.substr(0, dot);
  return value.with(key, without_path(*value.find(key), path.substr(dot + 1)));
}

}  // namespace

std::vector<Explanation> explain(const ComposedExperiment& composed, const Trial& trial,
                                 const RunSetup& setup, const std::string& key) {
  const std::vector<Value> layers = layers_of(composed, trial);
  std::vector<std::string> paths;
  collect_leaves(setup.resolved, "", paths);
  for (const Value& layer : layers) {  // what was written and does not hold is of interest too
    std::vector<std::string> written;
    if (!layer.is_null()) collect_leaves(layer, "", written);
    for (std::string& path : written)
      if (std::find(paths.begin(), paths.end(), path) == paths.end())
        paths.push_back(std::move(path));
  }
  std::vector<Explanation> result;
  for (const std::string& path : paths)
    if (is_at_or_below(path, key)) result.push_back(explain_leaf(path, layers, setup));
  if (result.empty()) {
    const auto near = near_match(key, paths);
    throw Error(ExitCode::usage,
                fmt::format("--why {}: this experiment has no such option{}", key,
                            near ? fmt::format("; did you mean {}?", *near) : std::string()));
  }
  return result;
}

Value with_expectations(const RunSetup& setup, const Value& config) {
  const Value* expect = setup.written.find("expect");
  return expect && !expect->is_null() ? config.with("expect", *expect) : config;
}

std::string minimal_config(const RunSetup& setup, const std::filesystem::path& file,
                           Registry& registry) {
  SetupReader reader(file, registry);
  Value config = setup.resolved;
  std::vector<std::string> paths;
  for (const auto& [key, section] : setup.resolved.entries()) {
    if (key == "name") continue;
    paths.push_back(key);
    if (section.is_map()) collect_leaves(section, key, paths);
  }
  for (const std::string& path : paths) {
    if (!config.at_path(path)) continue;
    Value less = without_path(config, path);
    if (is_same_run(less, setup, reader)) config = std::move(less);
  }
  return write_yaml(with_expectations(setup, config));
}

}  // namespace assay
