// All runs of an experiment, resolved and validated before the first one starts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/api.h"
#include "experiment/compose.h"
#include "experiment/experiment.h"
#include "experiment/materials.h"
#include "experiment/setup.h"
#include "interfaces/pruner.h"

namespace assay {

struct PlannedRun {
  RunSetup setup;
  std::string run;  // "seed=2_1f3a9c04": what was set, and the start of the configuration's hash
  std::filesystem::path file;
  std::shared_ptr<const Material> material;  // null for probes
  std::size_t trial = 0;                     // of the composed experiment
  std::int64_t steps = 0;                    // as BuiltRun::steps()
};

struct Plan {
  std::string name;
  std::vector<PlannedRun> runs;
  std::string open;                // what else there will be, that is not known yet
  std::int64_t most_runs = 0;      // with that
  std::shared_ptr<Pruner> pruner;  // null: each run trains to its end
};

/// The runs of a composed experiment, each with its configuration read and hashed; nothing is
/// loaded or built. Of equal runs the first stays.
ASSAY_API std::vector<PlannedRun> resolve_runs(const ComposedExperiment& composed,
                                               const ExperimentRequest& request, Registry& registry,
                                               Problems& problems);

/// A trial with its configuration read: named, and with its file.
PlannedRun planned_run(const Trial& trial, RunSetup setup, const ExperimentRequest& request);

/// Gives a run its data, and builds it once, so that everything that could be wrong is found before
/// a run starts. Throws as make_plan.
void load(PlannedRun& run, Materials& materials);

/// Of a search that is the first batch. Throws Error(usage) with every problem of every run;
/// Error(plugin), Error(data) where a plugin or the data are to blame.
ASSAY_API Plan make_plan(const ExperimentRequest& request, Registry& registry,
                         Materials& materials);

/// The same of an experiment that is composed already, with the problems that there were.
Plan make_plan(const ComposedExperiment& composed, Problems& problems,
               const ExperimentRequest& request, Registry& registry, Materials& materials);

}  // namespace assay
