#include "experiment/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "config/scalar.h"
#include "experiment/setup.h"
#include "experiment/sweep_block.h"
#include "experiment/sweep_values.h"

namespace assay {
namespace {

constexpr std::int64_t kMostReplicates = 100000;

bool is_axis(const Value& root, const std::string& path) {
  for (const char* section : {"sweep.grid", "sweep.zip"})
    if (const Value* keys = root.at_path(section); keys && keys->find(path)) return true;
  return false;
}

bool is_of_sweep(const Override& change) {
  return change.path == "sweep" || change.path.rfind("sweep.", 0) == 0;
}

SweepBlock block_of(const Value& root, const std::vector<Override>& overrides,
                    const GroupLookup& groups, Problems& problems) {
  const Replaced replaced = [&](const std::string& key) {
    return std::any_of(overrides.begin(), overrides.end(),
                       [&](const Override& o) { return o.path == key; });
  };
  SweepBlock block;
  const Value* sweep = root.find("sweep");
  if (sweep && !sweep->is_null())
    block = read_sweep_block(*sweep, "sweep", true, replaced, groups, problems);
  auto conditional = std::find_if(block.factors.begin(), block.factors.end(),
                                  [](const SweepBlock::Factor& factor) { return !!factor.when; });
  for (const Override& override : overrides) {
    // To delete an axis is enough where nothing else sets its key.
    const bool deletes_axis = override.kind == Override::Kind::remove &&
                              !root.at_path(override.path) && is_axis(root, override.path);
    if (is_of_sweep(override) || deletes_axis) continue;
    if (override.choices.size() > 1)
      sweep_values(override.path, Value::list(override.choices, override.path_at), problems);
    conditional = block.factors.insert(conditional, {value_axis(override), {}, {}}) + 1;
  }
  return block;
}

// A whole number of the section; `otherwise` where it is not written, or wrong.
std::int64_t read_count(const Value* written, const std::string& path, std::int64_t least,
                        std::int64_t otherwise, Problems& problems) {
  if (!written) return otherwise;
  std::int64_t count = 0;
  if (written->is_scalar() && !written->quoted() &&
      parse_integer(written->text(), count) == NumberError::none && count >= least &&
      count <= kMostReplicates)
    return count;
  problems.add(written->at(), fmt::format("{}: wanted a number from {} to {}, got {}", path, least,
                                          kMostReplicates, describe(*written)));
  return otherwise;
}

// How often each combination is to run; 1 where the command line gives seeds itself.
std::int64_t read_replicates(const Value& root, const std::vector<Override>& overrides,
                             Problems& problems) {
  const Value* written = root.at_path("sweep.replicates");
  const std::size_t before = problems.size();
  const std::int64_t count = read_count(written, "sweep.replicates", 1, 1, problems);
  if (!written || problems.size() > before) return 1;
  const bool given = std::any_of(overrides.begin(), overrides.end(), [](const Override& o) {
    return o.path == "seed" && o.choices.size() > 1;
  });
  if (!given && is_axis(root, "seed"))
    problems.add(written->at(),
                 "sweep.replicates: an axis sets the seeds already; remove one of them");
  return given ? 1 : count;
}

std::vector<Trial> replicate(const std::vector<Trial>& trials, std::int64_t count) {
  if (count == 1) return trials;
  std::vector<Trial> all;
  all.reserve(trials.size() * static_cast<std::size_t>(count));
  for (const Trial& trial : trials) {
    std::int64_t first = kDefaultSeed;
    // A seed that is no number stays, for the reader of options to complain about.
    const Value* seed = trial.config.find("seed");
    if (seed && parse_integer(seed->text(), first) != NumberError::none) {
      all.push_back(trial);
      continue;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const auto number = static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(i);
      const Value value =
          Value::scalar(std::to_string(number), false, seed ? seed->at() : Location());
      all.push_back({trial.config.with("seed", value), trial.label, trial.layers});
      all.back().layers.push_back(Value::map({{"seed", value}}, value.at()));
    }
  }
  return all;
}

// Conditions on what a search chooses are for its trials, not for what they stand on.
Value without_search(const Value& root) {
  const Value* space = root.at_path("sweep.space");
  if (!space) return root;
  Value sweep = root.find("sweep")->without("where");
  if (const Value* when = sweep.find("when")) {
    Value left = *when;
    for (const auto& [key, values] : space->entries()) left = left.without(key);
    sweep = sweep.with("when", left);
  }
  return root.with("sweep", sweep);
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

std::int64_t sweep_retries(const Value& sweep, Problems& problems) {
  return read_count(sweep.find("retries"), "sweep.retries", 0, 0, problems);
}

std::vector<Trial> expand_sweep(const Value& written, const std::vector<Override>& overrides,
                                Problems& problems, const GroupLookup& groups) {
  const std::size_t before = problems.size();
  const Value root = without_search(with_sweep_settings(written, overrides, problems));
  const SweepBlock block = block_of(root, overrides, groups, problems);
  const std::int64_t replicates = read_replicates(root, overrides, problems);
  if (problems.size() > before) return {};
  return replicate(expand_block({{root.without("sweep"), "", {}}}, block, problems), replicates);
}

}  // namespace assay
