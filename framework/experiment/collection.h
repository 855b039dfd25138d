// A file that runs other experiments, such as experiments/atlas.yaml:
//
//   experiments:
//     - {system: S3, file: attention/scaling.yaml}
//     - {system: S15, file: shakespeare/gpt.yaml, with: ["seed=1,2,3,4"]}
//
// Files are relative to the file that lists them; `with` is what the command line would say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/api.h"
#include "config/options.h"
#include "experiment/experiment.h"

namespace assay {

struct CollectionEntry {
  std::string system, file;  // as listed
  ExperimentRequest request;
  Location at, with_at;  // of the file and of the settings in the list
};

/// Nothing if the file is an experiment itself. Throws Error(usage) with everything that is wrong
/// with the list or with an experiment on it.
ASSAY_API std::optional<std::vector<CollectionEntry>> read_collection(
    const ExperimentRequest& request);

/// check_experiment of an experiment, or of each on a list.
ASSAY_API std::vector<RunCheck> check_file(const ExperimentRequest& request);

/// What such a file, and each entry of its list, can say: for the schema.
OptionTable collection_options();
OptionTable collection_entry_options();

struct CollectionResult {
  ExperimentResult result;
  std::string error;  // why it could not run at all
};
/// One after the other; one that cannot run does not keep the others from it. Ends early, with
/// fewer results than entries, when a signal asks for it.
ASSAY_API std::vector<CollectionResult> run_collection(const std::vector<CollectionEntry>& entries,
                                                       Reporter& reporter);
/// done if all are; theirs if all ended alike, else failed; stopped if a signal came.
ASSAY_API ExitCode collection_code(const std::vector<CollectionResult>& results);

}  // namespace assay
