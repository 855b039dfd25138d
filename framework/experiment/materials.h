// Datasets and tokenizers in memory, shared by all runs whose sections for them are equal.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/api.h"
#include "experiment/setup.h"

namespace assay {

/// Loaded data with the tokenizer that made its ids. Immutable, so runs share it.
struct Material {
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<const Tokenizer> tokenizer;  // may be null
  State tokenizer_state;
  std::vector<std::string> notes;  // what the user should know about the data
};

class ASSAY_API Materials {
 public:
  /// Loads, trains the tokenizer and tokenizes the first time; after that returns what is there.
  /// Runs alone.
  std::shared_ptr<const Material> get(const RunSetup& setup);

 private:
  std::map<std::string, std::shared_ptr<const Material>> known_;  // by the two sections as YAML
};

}  // namespace assay
