// What a composed configuration is made of and where its values come from: what `assay config`
// says.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "experiment/compose.h"
#include "experiment/plan.h"

namespace assay {

/// One value of one run.
struct Explanation {
  struct Setting {
    std::string place;    // "gpt.yaml:6:27"
    std::string written;  // as YAML, references included
  };
  std::string key, value;         // as resolved; no value: it is not set and has no default
  std::vector<Setting> settings;  // the one that holds first, then what it stands above
  std::string otherwise;          // what holds if there is no setting: "default of model 'gpt'"
};

/// Every option at or below the key ("model", "model.width"). Throws Error(usage), with a near
/// match, if there is none.
ASSAY_API std::vector<Explanation> explain(const ComposedExperiment& composed, const Trial& trial,
                                           const RunSetup& setup, const std::string& key);

/// config with the section `expect` as it was written: no part of a run, but of its experiment.
ASSAY_API Value with_expectations(const RunSetup& setup, const Value& config);

/// The least that has to be written to get the same run: what is left of the resolved configuration
/// when everything is taken away without which it stays the same. The name stays.
ASSAY_API std::string minimal_config(const RunSetup& setup, const std::filesystem::path& file,
                                     Registry& registry);

}  // namespace assay
