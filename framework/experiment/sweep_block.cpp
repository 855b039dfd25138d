#include "experiment/sweep_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "config/interpolation.h"
#include "experiment/sweep_list.h"
#include "experiment/sweep_values.h"
#include "results/run_set.h"

namespace assay {
namespace {

using Factor = SweepBlock::Factor;

// Keys that are read elsewhere.
bool is_of_whole(const std::string& key) {
  return key == "replicates" || key == "retries" ||
         std::find(kAdaptiveKeys.begin(), kAdaptiveKeys.end(), key) != kAdaptiveKeys.end();
}

class BlockReader {
 public:
  BlockReader(const Value& sweep, std::string path, bool whole, const Replaced& replaced,
              const GroupLookup& groups, Problems& problems)
      : sweep_(sweep),
        path_(std::move(path)),
        whole_(whole),
        replaced_(replaced),
        groups_(groups),
        problems_(problems) {}

  SweepBlock read() {
    if (!sweep_.is_map()) {
      problems_.add(sweep_.at(), fmt::format("{}: wanted a map with list, grid, zip or union, got "
                                             "{}",
                                             path_, describe(sweep_)));
      return {};
    }
    for (std::size_t i = 0; i < sweep_.entries().size(); ++i) {
      const auto& [key, entry] = sweep_.entries()[i];
      if (key == "list") {
        block_.factors.push_back(
            {list_axis(within(key), sweep_list(within(key), entry, problems_), problems_), {}, {}});
      } else if (key == "grid") {
        for (auto& [name, axis] : axes(key, entry)) add_axis({name}, std::move(axis));
      } else if (key == "zip") {
        zip(key, entry);
      } else if (key == "union") {
        parts(key, entry);
      } else if (key == "where") {
        for (const Value& each : entry.is_list() ? entry.items() : std::vector<Value>{entry})
          if (auto condition = read_condition(within(key), each, problems_))
            block_.where.push_back(std::move(*condition));
      } else if (key == "when") {
        conditions(key, entry);
      } else if (!is_of_whole(key) && (key.find('.') != key.npos || key == "seed")) {
        problems_.add(sweep_.key_location(i),
                      fmt::format("{}: unknown; to try values of a key, write grid: {{{}: ...}}",
                                  within(key), key));
      } else if (!is_of_whole(key)) {
        problems_.add(sweep_.key_location(i),
                      fmt::format("{}: unknown; a sweep has list, grid, zip, union, where, when, "
                                  "replicates, retries, {}",
                                  within(key), join({kAdaptiveKeys.begin(), kAdaptiveKeys.end()})));
      } else if (!whole_) {
        problems_.add(sweep_.key_location(i),
                      fmt::format("{}: only the whole sweep has it, not a part", within(key)));
      }
    }
    attach_conditions();
    return std::move(block_);
  }

 private:
  struct NamedAxis {
    std::string key;
    Axis axis;
  };

  std::string within(const std::string& key) const { return path_ + "." + key; }

  // An axis for each key of a map whose values are not from elsewhere.
  std::vector<NamedAxis> axes(const std::string& section, const Value& entry) {
    std::vector<NamedAxis> found;
    if (!entry.is_map()) {
      problems_.add(entry.at(), fmt::format("{}: wanted a map from key to values, got {}",
                                            within(section), describe(entry)));
      return found;
    }
    for (std::size_t i = 0; i < entry.entries().size(); ++i) {
      const auto& [key, values] = entry.entries()[i];
      known_.insert(key);
      if (replaced_(key)) continue;
      Override change;
      change.path = key;
      change.path_at = entry.key_location(i);
      change.choices = sweep_values(within(section) + "." + key, values, problems_);
      found.push_back({key, value_axis(groups_(std::move(change), problems_))});
    }
    return found;
  }

  void add_axis(std::set<std::string> keys, Axis axis) {
    block_.factors.push_back({std::move(axis), {}, {}});
    keys_.resize(block_.factors.size());
    keys_.back() = std::move(keys);
  }

  void zip(const std::string& key, const Value& entry) {
    std::set<std::string> keys;
    std::vector<Axis> zipped;
    std::string lengths;
    for (auto& [name, axis] : axes(key, entry)) {
      keys.insert(name);
      lengths += fmt::format("{}{} has {}", lengths.empty() ? "" : ", ", name, axis.size());
      zipped.push_back(std::move(axis));
    }
    const bool equal = std::all_of(zipped.begin(), zipped.end(), [&](const Axis& axis) {
      return axis.size() == zipped.front().size();
    });
    if (!equal)
      problems_.add(entry.at(), fmt::format("{}: wanted as many values for each key, but {}",
                                            within(key), lengths));
    else if (!zipped.empty())
      add_axis(std::move(keys), zip_axes(zipped));
  }

  void parts(const std::string& key, const Value& entry) {
    if (!entry.is_list() || entry.items().empty()) {
      problems_.add(entry.at(), fmt::format("{}: wanted a list of sweeps, got {}", within(key),
                                            describe(entry)));
      return;
    }
    Factor factor;
    for (std::size_t i = 0; i < entry.items().size(); ++i)
      factor.parts.push_back(read_sweep_block(entry.items()[i],
                                              fmt::format("{}.{}", within(key), i), false,
                                              replaced_, groups_, problems_));
    block_.factors.push_back(std::move(factor));
  }

  void conditions(const std::string& key, const Value& entry) {
    if (!entry.is_map()) {
      problems_.add(entry.at(), fmt::format("{}: wanted a map from an axis to a condition, got {}",
                                            within(key), describe(entry)));
      return;
    }
    when_ = entry;
  }

  void attach_conditions() {
    keys_.resize(block_.factors.size());
    for (std::size_t i = 0; i < when_.entries().size(); ++i) {
      const auto& [key, text] = when_.entries()[i];
      if (!known_.contains(key))
        problems_.add(when_.key_location(i),
                      fmt::format("{}: neither grid nor zip has an axis {}", within("when"), key));
      auto condition = read_condition(within("when") + "." + key, text, problems_);
      if (!condition) continue;
      for (std::size_t f = 0; f < keys_.size(); ++f)
        if (keys_[f].contains(key)) block_.factors[f].when = condition;
    }
    std::stable_partition(block_.factors.begin(), block_.factors.end(),
                          [](const Factor& factor) { return !factor.when; });
  }

  const Value& sweep_;
  std::string path_;
  bool whole_;
  const Replaced& replaced_;
  const GroupLookup& groups_;
  Problems& problems_;
  SweepBlock block_;
  std::vector<std::set<std::string>> keys_;  // of each factor
  std::set<std::string> known_;              // of grid and zip, replaced or not
  Value when_;
};

// A configuration as expressions see it.
class ConfigSubject final : public Subject {
 public:
  explicit ConfigSubject(Value config) : config_(std::move(config)) {}
  Outcome value(const std::string& name) const override { return config_value(config_, name); }
  std::optional<double> measure(const Measure&, const std::string&) const override {
    return std::nullopt;
  }

 private:
  Value config_;
};

Value resolved(const Value& config) {
  Problems told_later;
  std::vector<Location> left;
  return interpolate(config, told_later, left);
}

std::vector<Trial> multiply(const std::vector<Trial>& trials, const Axis& axis,
                            const std::vector<bool>& applies, Problems& problems) {
  std::vector<Trial> next;
  next.reserve(trials.size() * axis.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& trial = trials[i];
    if (!applies[i]) {
      next.push_back(trial);
      continue;
    }
    for (const Choice& choice : axis) {
      next.push_back({choice.set(trial.config, problems), joined_label(trial.label, choice.label),
                      trial.layers});
      auto& layers = next.back().layers;
      layers.insert(layers.end(), choice.layers.begin(), choice.layers.end());
    }
  }
  return next;
}

}  // namespace

std::optional<Condition> read_condition(const std::string& path, const Value& written,
                                        Problems& problems) {
  if (!written.is_scalar()) {
    problems.add(written.at(), fmt::format("{}: wanted a condition such as model.width > 32, got "
                                           "{}",
                                           path, describe(written)));
    return std::nullopt;
  }
  try {
    return Condition{Expression::parse(written.text(), path), written.at()};
  } catch (const Error& error) {
    problems.add(written.at(), error.what());
    return std::nullopt;
  }
}

std::vector<bool> holds(const Condition& condition, const std::vector<Trial>& trials,
                        Problems& problems) {
  std::vector<bool> found(trials.size(), true);
  std::vector<Value> configs;
  std::set<std::string> names;
  for (const Trial& trial : trials) {
    configs.push_back(resolved(trial.config));
    for (const auto& [path, text] : flattened(configs.back())) names.insert(path);
  }
  try {
    condition.expression.check({{}, {names.begin(), names.end()}});
    for (std::size_t i = 0; i < trials.size(); ++i)
      found[i] = condition.expression.holds(ConfigSubject(configs[i]));
  } catch (const Error& error) {
    problems.add(condition.at, error.what());
  }
  return found;
}

SweepBlock read_sweep_block(const Value& sweep, const std::string& path, bool whole,
                            const Replaced& replaced, const GroupLookup& groups,
                            Problems& problems) {
  return BlockReader(sweep, path, whole, replaced, groups, problems).read();
}

std::vector<Trial> expand_block(std::vector<Trial> trials, const SweepBlock& block,
                                Problems& problems) {
  for (const Factor& factor : block.factors) {
    if (!factor.parts.empty()) {
      std::vector<Trial> next;
      for (const Trial& trial : trials)
        for (const SweepBlock& part : factor.parts)
          for (Trial& each : expand_block({trial}, part, problems)) next.push_back(std::move(each));
      trials = std::move(next);
    } else {
      const auto applies = factor.when ? holds(*factor.when, trials, problems)
                                       : std::vector<bool>(trials.size(), true);
      trials = multiply(trials, factor.axis, applies, problems);
    }
  }
  for (const Condition& condition : block.where) {
    const auto kept = assay::holds(condition, trials, problems);
    std::vector<Trial> left;
    for (std::size_t i = 0; i < trials.size(); ++i)
      if (kept[i]) left.push_back(std::move(trials[i]));
    if (left.empty() && !trials.empty())
      problems.add(condition.at, "where: holds of no combination, so that nothing is left to run");
    trials = std::move(left);
  }
  return trials;
}

}  // namespace assay
