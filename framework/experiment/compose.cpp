#include "experiment/compose.h"

#include <memory>

#include <fmt/format.h>

#include "config/interpolation.h"
#include "experiment/forerunner.h"
#include "experiment/setup.h"
#include "plugin/registry.h"

namespace assay {
namespace {

std::vector<Override> read_overrides(const std::vector<std::string>& arguments,
                                     Problems& problems) {
  std::vector<Override> overrides;
  for (const std::string& argument : arguments) {
    Override change = read_override(argument, problems);
    if (change.path == "defaults" || change.path.rfind("defaults.", 0) == 0)
      problems.add(change.path_at,
                   "defaults: only files have them; choose a group by model=gpt-small");
    else if (!change.choices.empty())
      overrides.push_back(std::move(change));
  }
  return overrides;
}

// Groups that the grid of the file chooses: their choices take the place of those of `defaults`.
std::set<std::string> grid_groups(const Value& root, const std::vector<Override>& overrides,
                                  const Composer& composer) {
  Problems told_later;
  std::set<std::string> groups;
  const Value swept = with_sweep_settings(root, overrides, told_later);
  const Value* grid = swept.at_path("sweep.grid");
  if (!grid) return groups;
  for (const auto& [path, values] : grid->entries())
    for (const Value& value : values.items())
      if (value.is_scalar() && composer.has_choice(path, value.text())) groups.insert(path);
  for (const Override& change : overrides) groups.erase(change.path);  // not of the grid then
  return groups;
}

}  // namespace

SearchPath experiment_search_path(const ExperimentRequest& request) {
  return config_search_path(request.file.parent_path(), default_plugin_path(request.plugins));
}

ComposedExperiment compose_experiment(const ExperimentRequest& request, Problems& problems) {
  ComposedExperiment composed;
  const auto composer =
      std::make_shared<Composer>(experiment_search_path(request), experiment_sections());
  composed.groups = [composer](Override change, Problems& found) {
    return composer->with_groups(std::move(change), found);
  };
  std::set<std::string> chosen;
  for (Override& change : read_overrides(request.overrides, problems)) {
    change = composed.groups(std::move(change), problems);
    if (!change.names.empty()) chosen.insert(change.path);
    composed.overrides.push_back(std::move(change));
  }
  composed.file = composer->read(request.file, chosen, problems);
  Value root = merged(composed.file);
  if (const auto in_grid = grid_groups(root, composed.overrides, *composer); !in_grid.empty()) {
    chosen.insert(in_grid.begin(), in_grid.end());
    composed.file = composer->read(request.file, chosen, problems);
    root = merged(composed.file);
  }
  if (composer->incomplete()) problems.raise();
  Problems told_by_expand;
  const Value swept = with_sweep_settings(root, composed.overrides, told_by_expand);
  if (const Value* sweep = swept.find("sweep")) composed.sweep = *sweep;
  const auto grid = [&](Override change, Problems& found) {
    change = composed.groups(std::move(change), found);
    if (!change.names.empty()) composed.grid.push_back(change);
    return change;
  };
  composed.trials = expand_sweep(root, composed.overrides, problems, grid);
  if (!composed.sweep.find("space"))  // references may be to what it sets
    for (Trial& trial : composed.trials)
      trial.config = interpolate(trial.config, problems, composed.unresolved);
  find_forerunners(composed, request, problems);
  return composed;
}

}  // namespace assay
