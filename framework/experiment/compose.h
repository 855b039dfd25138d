// From a file, what it names and the command line to one configuration per run: written, not yet
// read into options.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/api.h"
#include "config/composition.h"
#include "config/overrides.h"
#include "config/problems.h"
#include "experiment/experiment.h"
#include "experiment/sweep.h"

namespace assay {

struct ComposedExperiment {
  ConfigPart file;                  // the experiment with all that it names
  std::vector<Override> overrides;  // of the command line, with the sections of groups
  std::vector<Override> grid;       // groups that the sweep's grid chooses from
  std::vector<Trial> trials;  // one per run, references resolved; of a search what they stand on
  Value sweep;                // the section, as file and command line have it; may be null
  GroupLookup groups;         // of the choices of a space
  std::vector<ExperimentRequest> first;  // whose results these start from and do not have yet
  std::vector<Location> unresolved;      // places of texts whose references are problems
};

/// The folders that parts are looked for in, for an experiment of this folder.
ASSAY_API SearchPath experiment_search_path(const ExperimentRequest& request);

/// Throws Error(usage) where a file cannot be read at all; everything else becomes a problem.
ASSAY_API ComposedExperiment compose_experiment(const ExperimentRequest& request,
                                                Problems& problems);

}  // namespace assay
