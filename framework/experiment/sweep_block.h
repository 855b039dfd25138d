// The section `sweep`, or one of the sweeps of its `union`, read but not yet multiplied out.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "config/problems.h"
#include "config/value.h"
#include "experiment/sweep.h"
#include "experiment/sweep_axis.h"
#include "results/expression.h"

namespace assay {

/// The keys of a sweep that decides as it goes (adaptive.h).
inline constexpr std::array kAdaptiveKeys = {"search", "space", "trials", "batch",     "metric",
                                             "prune",  "stop",  "async",  "population"};

/// An expression about a configuration, and where it was written.
struct Condition {
  Expression expression;
  Location at;
};

/// path: "sweep.where", for messages.
std::optional<Condition> read_condition(const std::string& path, const Value& written,
                                        Problems& problems);
/// For each trial, whether the condition holds.
std::vector<bool> holds(const Condition& condition, const std::vector<Trial>& trials,
                        Problems& problems);

struct SweepBlock {
  struct Factor {
    Axis axis;
    std::vector<SweepBlock> parts;  // of a union, which has no axis
    std::optional<Condition> when;  // the axis applies only where this holds
  };
  std::vector<Factor> factors;  // in the order in which they apply
  std::vector<Condition> where;
};

/// Whether a key's values come from elsewhere, so that its axis is left out.
using Replaced = std::function<bool(const std::string& key)>;

/// path names the block in messages: "sweep", "sweep.union.0". Keys that only the whole has
/// (replicates) are passed over if whole.
SweepBlock read_sweep_block(const Value& sweep, const std::string& path, bool whole,
                            const Replaced& replaced, const GroupLookup& groups,
                            Problems& problems);

/// Every trial with every combination of the block.
std::vector<Trial> expand_block(std::vector<Trial> trials, const SweepBlock& block,
                                Problems& problems);

}  // namespace assay
