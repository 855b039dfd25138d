#include "experiment/trained_model.h"

#include <fmt/format.h>

#include "base/error.h"
#include "config/yaml.h"
#include "results/run_file.h"

namespace assay {

TrainedModel::TrainedModel(const TrainedModelRequest& request)
    : registry_(default_plugin_path(request.plugins)) {
  const RunRecord record = read_run(request.file);
  Problems problems;
  const Value config = read_yaml(record.config, request.file.string() + ": config");
  if (config.find("probe"))
    throw Error(ExitCode::usage, fmt::format("{}: is the result of a probe, which trains no model",
                                             request.file.string()));
  const std::filesystem::path experiment =
      record.experiment.empty() ? record.name + ".yaml" : record.experiment;
  setup_ = SetupReader(experiment, registry_).read(config, problems);
  problems.raise();
  if (setup_.tokenizer) {
    tokenizer_ = setup_.tokenizer.create({setup_.data_folder});
    restore(*tokenizer_, record.tokenizer);
  }
  spec_ = spec_of_data();
  add_adapters(setup_.adaptation, parameters_);
  model_ = setup_.model.create({spec_, setup_.model_context(), Scope(parameters_), setup_.seed});
  const Checkpoint& checkpoint =
      stored_checkpoint(record, request.checkpoint, request.file.string());
  parameters_.initialise(setup_.seed);
  StateIo weights = StateIo::restoring(checkpoint.weights);
  parameters_.state(weights);
  StateIo model = StateIo::restoring(checkpoint.model);
  model_->state(model);
  step_ = checkpoint.step;
}

// A model of text needs no more than the number of tokens, which the tokenizer knows: its data need
// not be there. Of others the dataset says what there is.
DataSpec TrainedModel::spec_of_data() const {
  const std::int64_t context = setup_.model_context();
  if (tokenizer_) {
    const std::int64_t count = tokenizer_->vocabulary();
    const DataSpec text = {{{"input", count, context, 0}, {"target", count, context, 0}}};
    try {
      if (setup_.objective.create({text})->needs_causal_model()) return text;
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) throw;  // it wants other fields
    }
  }
  const std::unique_ptr<Dataset> dataset = setup_.dataset.create({setup_.data_folder});
  setup_.dataset.locating([&] {
    dataset->load();
    dataset->tokenize(tokenizer_.get());
  });
  return dataset->spec({context, 0});
}

}  // namespace assay
