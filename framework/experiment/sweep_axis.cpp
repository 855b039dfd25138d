#include "experiment/sweep_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
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
Value setting_alone(const std::string& path, const Location& path_at, const Value& value) {
  Override plain;
  plain.path = path;
  plain.path_at = path_at;
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
      nested = merge(nested, setting_alone(key, item.key_location(i), value));
  }
  return nested;
}

// Sets one choice in one configuration after another. A section that several of them share is
// changed once, and the result is shared again: ten thousand trials have few different sections.
class Setter {
 public:
  Setter(std::shared_ptr<const Override> change, std::size_t choice)
      : change_(std::move(change)),
        choice_(choice),
        section_(change_->path.substr(0, change_->path.find('.'))) {}

  Value operator()(const Value& base, Problems& problems) {
    const Value* old = base.is_map() ? base.find(section_) : nullptr;
    if (!old) return apply_override(base, *change_, change_->choices[choice_], problems);
    if (const auto known = known_.find(old->identity()); known != known_.end())
      return known->second.changed ? base.with(section_, *known->second.changed, known->second.at)
                                   : base.without(section_);
    const std::size_t before = problems.size();
    Value result = apply_override(base, *change_, change_->choices[choice_], problems);
    if (problems.size() > before || !result.is_map()) return result;
    Known known = {*old, std::nullopt, {}};
    if (const auto index = result.index_of(section_)) {
      known.changed = result.entries()[*index].second;
      known.at = result.key_location(*index);
    }
    known_.emplace(old->identity(), std::move(known));
    return result;
  }

 private:
  struct Known {
    Value old;  // lives on, so that its identity stays its own
    std::optional<Value> changed;
    Location at;
  };
  std::shared_ptr<const Override> change_;
  std::size_t choice_;
  std::string section_;
  std::unordered_map<const void*, Known> known_;
};

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
    axis.push_back({Setter(shared, i),
                    choice_label(change, i),
                    {setting_alone(change.path, change.path_at, change.choices[i])}});
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
