#include "experiment/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "config/yaml.h"
#include "experiment/setup.h"

namespace assay {
namespace {

using Leaf = std::pair<std::string, std::string>;  // dotted path and text

void collect_leaves(const Value& value, const std::string& path, std::vector<Leaf>& leaves) {
  if (value.is_map()) {
    for (const auto& [key, entry] : value.entries())
      collect_leaves(entry, path.empty() ? key : path + "." + key, leaves);
  } else if (value.is_scalar()) {
    leaves.emplace_back(path, value.text());
  }
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1);
}

// "gpt" for a type, "width=64" for anything else.
std::string leaf_label(const Leaf& leaf) {
  const std::string key = last_part(leaf.first);
  return key == "type" ? leaf.second : key + "=" + leaf.second;
}

// The fewest leading leaves that tell the items of a list apart.
std::vector<std::string> list_labels(const std::vector<Value>& items) {
  std::vector<std::vector<Leaf>> leaves(items.size());
  std::size_t longest = 1;
  for (std::size_t i = 0; i < items.size(); ++i) {
    collect_leaves(items[i].without("expect"), "", leaves[i]);  // no part of what a run is
    longest = std::max(longest, leaves[i].size());
  }
  std::vector<std::string> labels(items.size());
  for (std::size_t count = 1; count <= longest; ++count) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      labels[i].clear();
      for (std::size_t k = 0; k < std::min(count, leaves[i].size()); ++k)
        labels[i] += (k ? "_" : "") + leaf_label(leaves[i][k]);
    }
    auto sorted = labels;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) break;
  }
  return labels;
}

// One way to choose: several settings of which each trial gets one.
struct Axis {
  struct Choice {
    std::function<Value(const Value&, Problems&)> set;
    std::string label;
    Value layer;  // the setting as a configuration
  };
  std::vector<Choice> choices;
};

Axis list_axis(const Value& list, Problems& problems) {
  Axis axis;
  if (!list.is_list() || list.items().empty()) {
    problems.add(list.at(), fmt::format("sweep.list: wanted a list of settings, got {}; write "
                                        "list: [{{model: ...}}, {{model: ...}}]",
                                        describe(list)));
    return axis;
  }
  const auto labels = list_labels(list.items());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Value& item = list.items()[i];
    if (!item.is_map()) {
      problems.add(item.at(),
                   fmt::format("sweep.list: wanted a map of settings, got {}", describe(item)));
      continue;
    }
    axis.choices.push_back(
        {[item](const Value& base, Problems&) { return merge(base, item); }, labels[i], item});
  }
  return axis;
}

std::string choice_label(const Override& change, std::size_t choice) {
  if (is_about_keeping(change.path)) return {};
  const Value& value = change.choices[choice];
  if (change.kind == Override::Kind::remove) return "no_" + last_part(change.path);
  if (!change.names.empty()) return leaf_label({change.path, change.names[choice]});
  return leaf_label({change.path, value.is_scalar() ? value.text() : write_yaml_flow(value)});
}

Axis value_axis(const Override& change) {
  const auto shared = std::make_shared<const Override>(change);
  Axis axis;
  for (std::size_t i = 0; i < change.choices.size(); ++i) {
    Override plain;  // on nothing: no merging, nothing is there already, nothing is missing
    plain.path = change.path;
    Problems none;
    const Value& value = change.choices[i];
    axis.choices.push_back({[shared, i](const Value& base, Problems& problems) {
                              return apply_override(base, *shared, shared->choices[i], problems);
                            },
                            choice_label(change, i), apply_override(Value(), plain, value, none)});
  }
  return axis;
}

void check_distinct(const std::string& path, const std::vector<Value>& values, Problems& problems) {
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (write_yaml_flow(values[i]) == write_yaml_flow(values[j]))
        problems.add(values[i].at(),
                     fmt::format("{}: the value {} is given twice; each would be the same run",
                                 path, write_yaml_flow(values[i])));
}

bool grid_has(const Value& root, const std::string& path) {
  const Value* grid = root.at_path("sweep.grid");
  return grid && grid->find(path);
}

bool is_of_sweep(const Override& change) {
  return change.path == "sweep" || change.path.rfind("sweep.", 0) == 0;
}

std::vector<Axis> axes_of(const Value& root, const std::vector<Override>& overrides,
                          const GroupLookup& groups, Problems& problems) {
  std::vector<Axis> axes;
  const auto replaced = [&](const std::string& path) {
    return std::any_of(overrides.begin(), overrides.end(),
                       [&](const Override& o) { return o.path == path; });
  };
  const Value* sweep = root.find("sweep");
  if (sweep && !sweep->is_null()) {
    if (!sweep->is_map()) {
      problems.add(sweep->at(),
                   fmt::format("sweep: wanted a map with list or grid, got {}", describe(*sweep)));
      return axes;
    }
    for (std::size_t i = 0; i < sweep->entries().size(); ++i) {
      const auto& [key, entry] = sweep->entries()[i];
      if (key == "list") {
        axes.push_back(list_axis(entry, problems));
      } else if (key == "grid") {
        if (!entry.is_map()) {
          problems.add(
              entry.at(),
              fmt::format("sweep.grid: wanted a map from key to values, got {}", describe(entry)));
          continue;
        }
        for (const auto& [path, values] : entry.entries()) {
          if (replaced(path)) continue;
          if (!values.is_list() || values.items().empty()) {
            problems.add(values.at(), fmt::format("sweep.grid.{}: wanted a list of values, got {}",
                                                  path, describe(values)));
            continue;
          }
          check_distinct("sweep.grid." + path, values.items(), problems);
          Override change;
          change.path = path;
          change.choices = values.items();
          axes.push_back(value_axis(groups(std::move(change), problems)));
        }
      } else {
        problems.add(sweep->key_location(i),
                     fmt::format("sweep.{}: unknown; a sweep has list and grid", key));
      }
    }
  }
  for (const Override& override : overrides) {
    // To delete an axis of the grid is enough where nothing else sets its key.
    const bool deletes_axis = override.kind == Override::Kind::remove &&
                              !root.at_path(override.path) && grid_has(root, override.path);
    if (is_of_sweep(override) || deletes_axis) continue;
    check_distinct(override.path, override.choices, problems);
    axes.push_back(value_axis(override));
  }
  return axes;
}

}  // namespace

Value with_sweep_settings(const Value& written, const std::vector<Override>& overrides,
                          Problems& problems) {
  Value root = written;
  for (const Override& change : overrides) {
    if (!is_of_sweep(change)) continue;
    if (change.choices.size() > 1)
      problems.add(change.path_at, change.path + ": takes one value; a list stands in brackets");
    else
      root = apply_override(root, change, change.choices.at(0), problems);
  }
  return root;
}

std::vector<Trial> expand_sweep(const Value& written, const std::vector<Override>& overrides,
                                Problems& problems, const GroupLookup& groups) {
  const std::size_t before = problems.list().size();
  const Value root = with_sweep_settings(written, overrides, problems);
  const std::vector<Axis> axes = axes_of(root, overrides, groups, problems);
  if (problems.list().size() > before) return {};
  std::vector<Trial> trials = {{root.without("sweep"), "", {}}};
  for (const Axis& axis : axes) {
    std::vector<Trial> next;
    next.reserve(trials.size() * axis.choices.size());
    for (const Trial& trial : trials)
      for (const auto& choice : axis.choices) {
        next.push_back({choice.set(trial.config, problems),
                        trial.label.empty() || choice.label.empty()
                            ? trial.label + choice.label
                            : trial.label + "_" + choice.label,
                        trial.layers});
        next.back().layers.push_back(choice.layer);
      }
    trials = std::move(next);
  }
  return trials;
}

}  // namespace assay
