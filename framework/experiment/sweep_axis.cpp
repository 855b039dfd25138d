#include "experiment/sweep_axis.h"

#include <fmt/format.h>

#include <algorithm>
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

std::string choice_label(const Override& change, std::size_t choice) {
  if (is_about_keeping(change.path)) return {};
  const Value& value = change.choices[choice];
  if (change.kind == Override::Kind::remove) return "no_" + last_part(change.path);
  if (!change.names.empty()) return leaf_label({change.path, change.names[choice]});
  return leaf_label({change.path, value.is_scalar() ? value.text() : write_yaml_flow(value)});
}

// On nothing: no merging, nothing is there already, nothing is missing.
Value setting_alone(const std::string& path, const Value& value) {
  Override plain;
  plain.path = path;
  Problems none;
  return apply_override(Value(), plain, value, none);
}

Value with_nested_keys(const Value& item) {
  Value nested = Value::map({}, item.at());
  for (std::size_t i = 0; i < item.entries().size(); ++i) {
    const auto& [key, value] = item.entries()[i];
    if (key.find('.') == std::string::npos)
      nested = merge(nested, Value::map({{key, value}}, item.at(), {item.key_location(i)}));
    else
      nested = merge(nested, setting_alone(key, value));
  }
  return nested;
}

}  // namespace

std::string joined_label(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : "_") + second;
}

Axis list_axis(const std::string& path, const Value& list, Problems& problems) {
  Axis axis;
  if (!list.is_list() || list.items().empty()) {
    problems.add(list.at(), fmt::format("{}: wanted a list of settings, got {}; write list: "
                                        "[{{model: ...}}, {{model: ...}}]",
                                        path, describe(list)));
    return axis;
  }
  std::vector<Value> items;
  for (const Value& item : list.items()) {
    if (item.is_map())
      items.push_back(with_nested_keys(item));
    else
      problems.add(item.at(),
                   fmt::format("{}: wanted a map of settings, got {}", path, describe(item)));
  }
  const auto labels = list_labels(items);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Value& item = items[i];
    axis.push_back(
        {[item](const Value& base, Problems&) { return merge(base, item); }, labels[i], {item}});
  }
  return axis;
}

Axis value_axis(const Override& change) {
  const auto shared = std::make_shared<const Override>(change);
  Axis axis;
  for (std::size_t i = 0; i < change.choices.size(); ++i) {
    axis.push_back({[shared, i](const Value& base, Problems& problems) {
                      return apply_override(base, *shared, shared->choices[i], problems);
                    },
                    choice_label(change, i),
                    {setting_alone(change.path, change.choices[i])}});
  }
  return axis;
}

Axis zip_axes(const std::vector<Axis>& axes) {
  if (axes.empty()) return {};
  Axis zipped = axes.front();
  for (std::size_t a = 1; a < axes.size(); ++a) {
    for (std::size_t i = 0; i < zipped.size(); ++i) {
      const Choice& other = axes[a][i];
      zipped[i] = {
          [first = zipped[i].set, second = other.set](const Value& base, Problems& problems) {
            return second(first(base, problems), problems);
          },
          joined_label(zipped[i].label, other.label), zipped[i].layers};
      zipped[i].layers.insert(zipped[i].layers.end(), other.layers.begin(), other.layers.end());
    }
  }
  return zipped;
}

}  // namespace assay
