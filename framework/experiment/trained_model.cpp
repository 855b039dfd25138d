#include "experiment/trained_model.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "base/error.h"
#include "base/text.h"
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
  dataset->load();
  dataset->tokenize(tokenizer_.get());
  return dataset->spec({context, 0});
}

std::vector<std::int32_t> TrainedModel::encode(const std::string& text,
                                               const std::string& what) const {
  if (tokenizer_) return tokenizer_->encode(text, what);
  const std::int64_t limit = spec_.field(reads_source() ? "source" : "input").vocabulary;
  std::vector<std::int32_t> ids;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::int32_t id = -1;
    const char* end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, id);
    if (read.ec != std::errc() || read.ptr != end || id < 0 || id >= limit)
      throw Error(ExitCode::usage,
                  fmt::format("{}: {} is no id; this model has no tokenizer: write ids below {} "
                              "with spaces between",
                              what, quote(word), limit));
    ids.push_back(id);
  }
  return ids;
}

std::string TrainedModel::decode(std::span<const std::int32_t> ids) const {
  if (tokenizer_) return tokenizer_->decode(ids);
  std::string text;
  for (const std::int32_t id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
  return text;
}

}  // namespace assay
