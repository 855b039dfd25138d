#include "results/comparison.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "config/yaml.h"

namespace assay {
namespace {

using FlatConfig = std::map<std::string, std::string>;

std::string section_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

const std::string* find(const FlatConfig& config, const std::string& key) {
  const auto found = config.find(key);
  return found == config.end() ? nullptr : &found->second;
}

bool has_section(const FlatConfig& config, const std::string& section) {
  if (section.empty()) return true;
  const auto next = config.lower_bound(section + ".");
  return next != config.end() && next->first.starts_with(section + ".");
}

/// Whether runs that can be compared in this key have different values of it.
bool differs(const std::vector<FlatConfig>& configs, const std::string& key) {
  const std::string section = section_of(key), type_key = section + ".type";
  std::map<std::string, std::set<std::string>> values_by_type;
  for (const FlatConfig& config : configs) {
    if (!has_section(config, section)) continue;
    const std::string* type = section.empty() || key == type_key ? nullptr : find(config, type_key);
    const std::string* value = find(config, key);
    values_by_type[type ? *type : ""].insert(value ? "=" + *value : "");
  }
  return std::any_of(values_by_type.begin(), values_by_type.end(),
                     [](const auto& entry) { return entry.second.size() > 1; });
}

/// Numbers the distinct values of a key over the runs: two keys that tell the same runs apart have
/// equal partitions.
std::vector<std::size_t> partition(const std::vector<FlatConfig>& configs, const std::string& key) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> out;
  for (const FlatConfig& config : configs) {
    const std::string* value = find(config, key);
    out.push_back(numbers.emplace(value ? "=" + *value : "", numbers.size()).first->second);
  }
  return out;
}

/// What names a section that only some runs have: its type, or else the first of its values.
std::set<std::string> keys_of_partial_sections(const std::vector<FlatConfig>& configs) {
  std::set<std::string> sections, keys;
  for (const FlatConfig& config : configs)
    for (const auto& [key, value] : config)
      if (const std::size_t dot = key.find('.'); dot != std::string::npos)
        sections.insert(key.substr(0, dot));
  for (const std::string& section : sections) {
    const auto without = [&](const FlatConfig& config) { return !has_section(config, section); };
    if (std::none_of(configs.begin(), configs.end(), without)) continue;
    const auto with = std::find_if_not(configs.begin(), configs.end(), without);
    const bool typed = find(*with, section + ".type") != nullptr;
    keys.insert(typed ? section + ".type" : with->lower_bound(section + ".")->first);
  }
  return keys;
}

// Of what a run computes: how it is kept is no part of that.
Value compared_config(const LoadedRun& run) {
  return run.config.without("checkpoint").without("durability");
}

std::string key_of(const LoadedRun& run, const Grouping& grouping) {
  std::string key;
  if (grouping.keys.empty())
    key = write_yaml(compared_config(run).without("seed"));
  else
    for (const std::string& name : grouping.keys)  // a text "-" is another value than none
      key += run.config.at_path(name) ? "=" + config_text(run, name) + "\n" : "\n";
  if (grouping.split_by_argument) key += "\n" + std::to_string(run.argument);
  return key;
}

// Runs with the same one have the same numbers.
std::string identity_of(const LoadedRun& run) {
  return write_yaml(compared_config(run)) + std::to_string(run.record.seed);
}

std::optional<double> value_at(const SeedValues& values, std::uint64_t seed) {
  if (std::count(values.seeds.begin(), values.seeds.end(), seed) != 1) return std::nullopt;
  const auto at = std::find(values.seeds.begin(), values.seeds.end(), seed) - values.seeds.begin();
  return values.values[static_cast<std::size_t>(at)];
}

}  // namespace

std::vector<RunGroup> groups_of(const std::vector<const LoadedRun*>& runs,
                                const Grouping& grouping) {
  std::vector<RunGroup> groups;
  std::map<std::string, std::size_t> places;
  std::map<std::pair<std::size_t, std::string>, std::size_t> standing;  // in runs of that group
  for (const LoadedRun* run : runs) {
    const auto [place, added] = places.emplace(key_of(*run, grouping), groups.size());
    if (added) groups.emplace_back();
    RunGroup& group = groups[place->second];
    const auto [same, first] =
        standing.emplace(std::pair(place->second, identity_of(*run)), group.runs.size());
    if (first) {
      group.runs.push_back(run);
      continue;
    }
    const LoadedRun*& stands = group.runs[same->second];
    const bool better =
        stands->record.status != RunStatus::done && run->record.status == RunStatus::done;
    group.repeats.push_back(better ? std::exchange(stands, run) : run);
  }
  return groups;
}

bool brings_repeats(const std::vector<const LoadedRun*>& runs) {
  std::map<std::string, std::size_t> seen;
  for (const LoadedRun* run : runs) {
    const auto [entry, added] = seen.emplace(identity_of(*run), run->argument);
    if (!added && entry->second != run->argument) return true;
  }
  return false;
}

std::vector<std::string> all_keys(const std::vector<const LoadedRun*>& runs) {
  std::vector<std::string> keys;
  std::set<std::string> seen = {"seed"};
  for (const LoadedRun* run : runs)
    for (auto& [key, text] : flattened(run->config))
      if (seen.insert(key).second) keys.push_back(key);
  return keys;
}

std::vector<std::string> differing_keys(const std::vector<const LoadedRun*>& runs) {
  std::vector<FlatConfig> configs;
  for (const LoadedRun* run : runs) {
    const Facts values = flattened(run->config);
    configs.emplace_back(values.begin(), values.end());
  }
  const std::vector<std::string> all = all_keys(runs);
  std::vector<std::string> keys;
  std::set<std::vector<std::size_t>> told_apart;
  for (const std::string& key : all) {
    if (!differs(configs, key)) continue;
    keys.push_back(key);
    told_apart.insert(partition(configs, key));
  }
  for (const std::string& key : keys_of_partial_sections(configs))
    if (std::find(keys.begin(), keys.end(), key) == keys.end() &&
        told_apart.insert(partition(configs, key)).second)
      keys.push_back(key);
  return keys;
}

std::string config_text(const LoadedRun& run, const std::string& key) {
  const Value* value = run.config.at_path(key);
  if (!value) return "-";
  return value->is_scalar() ? value->text() : write_yaml_flow(*value);
}

SeedValues values_of(const RunGroup& group, const Expression& metric) {
  SeedValues out;
  out.runs = group.runs.size();
  for (const LoadedRun* run : group.runs) {
    if (run->record.status != RunStatus::done) continue;
    const Outcome outcome = metric.evaluate(RunSubject(*run));
    if (outcome.kind != Outcome::Kind::number || !std::isfinite(outcome.number)) continue;
    out.seeds.push_back(run->record.seed);
    out.values.push_back(outcome.number);
  }
  return out;
}

std::optional<Claim> compare_groups(const SeedValues& a, const SeedValues& b) {
  if (a.values.empty() || b.values.empty()) return std::nullopt;
  Claim claim;
  claim.difference = spread_of(b.values).mean - spread_of(a.values).mean;
  claim.welch = welch_test(b.values, a.values);
  claim.bootstrapped = bootstrap(b.values, a.values);
  claim.seeds_needed = seeds_to_decide(b.values, a.values);
  std::vector<double> differences;
  for (const std::uint64_t seed : b.seeds) {
    const auto before = value_at(a, seed), now = value_at(b, seed);
    if (before && now) differences.push_back(*now - *before);
  }
  claim.pairs = differences.size();
  claim.paired = paired_test(differences);
  claim.pairs_needed = pairs_to_decide(differences);
  return claim;
}

void adjust(std::vector<std::optional<Claim>>& claims) {
  std::vector<double> p;
  std::vector<Claim*> tested;
  for (std::optional<Claim>& claim : claims) {
    if (!claim || !claim->welch) continue;
    tested.push_back(&*claim);
    p.push_back(claim->paired ? claim->paired->p : claim->welch->p);
  }
  const std::vector<double> adjusted = adjusted_by_holm(p);
  for (std::size_t i = 0; i < tested.size(); ++i) tested[i]->adjusted_p = adjusted[i];
}

JoinedSteps join_by_step(const std::vector<const Series*>& series) {
  JoinedSteps joined;
  for (const Series* one : series)
    if (one) joined.steps.insert(joined.steps.end(), one->steps.begin(), one->steps.end());
  std::sort(joined.steps.begin(), joined.steps.end());
  joined.steps.erase(std::unique(joined.steps.begin(), joined.steps.end()), joined.steps.end());
  for (const Series* one : series) {
    auto& values = joined.values.emplace_back(joined.steps.size());
    if (!one) continue;
    for (std::size_t i = 0; i < one->steps.size(); ++i) {
      const auto row = std::lower_bound(joined.steps.begin(), joined.steps.end(), one->steps[i]);
      values[static_cast<std::size_t>(row - joined.steps.begin())] = one->values[i];
    }
  }
  return joined;
}

}  // namespace assay
