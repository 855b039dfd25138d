// The section `sweep` and several values on the command line: from one configuration to many.
//
//   sweep:
//     list: [{model: {type: ngram}}, {model: {type: gpt}}]   # each merged over the rest of the
//     file grid: {seed: [1, 2], optimizer.learning_rate: [1e-3, 3e-3]}   # every combination zip:
//     {model.width: [32, 64], model.heads: [2, 4]}      # in step: 32 with 2, 64 with 4 union:
//     [{grid: ...}, {list: ...}]                      # sweeps, one after the other where:
//     model.width % model.heads == 0                  # only combinations of which this holds when:
//     {optimizer.beta2: optimizer.type == adam}        # an axis only where this holds replicates:
//     5                                          # each with seeds s, s + 1, ..., s + 4
//
// list, grid, zip and union multiply; the last axis runs fastest, those under `when` faster still,
// replicates fastest of all. `list: trials.csv` or trials.json reads the settings from a file. What
// the command line says about a key takes the place of the axis of that key; a seed from there is
// the first of the replicates, several are in place of them. Conditions see what file and command
// line say, not what options are by default.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/api.h"
#include "config/overrides.h"
#include "config/problems.h"
#include "config/value.h"

namespace assay {

struct Trial {
  Value config;               // without `sweep`
  std::string label;          // what sets it apart: "gpt_seed=1"; empty if nothing was set
  std::vector<Value> layers;  // what list, grid and command line set, each as a configuration
};

/// Puts the sections of groups in place of their names (Composer::with_groups).
using GroupLookup = std::function<Override(Override, Problems&)>;

/// root with what overrides say about the sweep itself (`sweep.grid.seed=[1, 2]`, `~sweep`).
ASSAY_API Value with_sweep_settings(const Value& root, const std::vector<Override>& overrides,
                                    Problems& problems);

/// `retries`: how often a run that failed is begun anew before it stays so.
ASSAY_API std::int64_t sweep_retries(const Value& sweep, Problems& problems);

/// Adds problems for malformed sweeps: an empty axis is named, a value of an axis that is given
/// twice is refused, as is a sweep of which nothing is left. Overrides have been looked up already.
ASSAY_API std::vector<Trial> expand_sweep(
    const Value& root, const std::vector<Override>& overrides, Problems& problems,
    const GroupLookup& groups = [](Override change, Problems&) { return change; });

}  // namespace assay
