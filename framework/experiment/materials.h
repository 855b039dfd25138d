// Datasets and tokenizers in memory, one for all runs whose contents are equal.
//
//   Materials materials;
//   const auto material = materials.get(setup);   // loads, trains, tokenizes; or what is there
//
// Runs with the same sections share everything at once. Else what was loaded decides: a dataset is
// the same if its digest and its options are, wherever its files lie; a tokenizer is, if its
// options and the text that it learned from are; and equal texts are in memory once, whatever is
// made of them.
#pragma once

#include <cstdint>
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

  /// What was done so far.
  struct Work {
    std::int64_t loaded = 0, trained = 0, tokenized = 0;
  };
  const Work& work() const { return work_; }

 private:
  struct Learned {
    std::string key;  // options and text, or the digest of a stored one
    std::shared_ptr<const Tokenizer> tokenizer;
    State state;
  };
  std::shared_ptr<const Material> load(const RunSetup& setup);
  Learned learned(const RunSetup& setup, const Dataset& dataset);

  Work work_;
  std::map<std::string, Learned> learned_;  // by key
  std::map<std::string, std::shared_ptr<const Material>> by_sections_, by_content_;
};

}  // namespace assay
