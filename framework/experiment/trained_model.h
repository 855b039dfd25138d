// A trained model out of its result file: what `assay sample` and `assay attention` ask.
//
//   TrainedModel trained("results/gpt/seed=1.h5", {});
//   generate(trained.model(), trained.parameters(), samplers, {ids}, 300, draw, each);
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/api.h"
#include "experiment/setup.h"
#include "train/text_codec.h"

namespace assay {

struct TrainedModelRequest {
  std::filesystem::path file;
  std::vector<std::filesystem::path> plugins;  // searched first
  std::string checkpoint = "final";
};

class ASSAY_API TrainedModel {
 public:
  /// Throws Error(data) if the file has no such checkpoint, Error(usage) if its run was a probe.
  explicit TrainedModel(const TrainedModelRequest& request);

  const Model& model() const { return *model_; }
  const Parameters& parameters() const { return parameters_; }
  /// Null where the dataset speaks ids itself.
  const Tokenizer* tokenizer() const { return tokenizer_.get(); }
  const DataSpec& spec() const { return spec_; }
  const std::string& name() const { return setup_.model.entry().facts.name; }
  Registry& registry() { return registry_; }
  /// It reads a source and writes a target.
  bool reads_source() const { return spec_.find("source") != nullptr; }
  /// The step of the checkpoint.
  std::int64_t step() const { return step_; }

  TextCodec codec() const { return {tokenizer_.get(), spec_}; }

 private:
  DataSpec spec_of_data() const;

  Registry registry_;
  RunSetup setup_;
  std::int64_t step_ = 0;
  std::unique_ptr<Tokenizer> tokenizer_;
  DataSpec spec_;
  Parameters parameters_;
  std::unique_ptr<Model> model_;
};

}  // namespace assay
