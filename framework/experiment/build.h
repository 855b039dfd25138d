// The objects of one run, built from its setup and its material.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/api.h"
#include "base/error.h"
#include "experiment/materials.h"
#include "experiment/setup.h"
#include "train/attended.h"
#include "train/text_samples.h"
#include "train/trainer.h"

namespace assay {

/// Owns everything that a trainer refers to. Not movable: the objects refer to each other.
class ASSAY_API BuiltRun {
 public:
  /// Builds everything but the weights, which are not drawn yet. Throws Error(usage) if model and
  /// sections do not go together, Error(data) if a split has no example.
  BuiltRun(const RunSetup& setup, std::shared_ptr<const Material> material);
  BuiltRun(const BuiltRun&) = delete;
  BuiltRun& operator=(const BuiltRun&) = delete;

  /// Draws the initial weights.
  Trainer& start();

  const Material& material() const { return *material_; }
  const Dataset& dataset() const { return *material_->dataset; }
  const Model& model() const { return *model_; }
  const Parameters& parameters() const { return parameters_; }
  /// The section `attention`, if there is one: of its layers, with the weights as they are.
  Attended attended() const;
  /// The section `decode`, if there is one: its figures, with the weights as they are.
  std::map<std::string, double> decoded() const;
  /// Null for models that count.
  Optimizer* optimizer() const { return optimizer_.get(); }
  const Objective& objective() const { return *objective_; }
  /// What the user should know of the weights that the run starts from; empty if it draws them all.
  const Facts& start_facts() const { return start_facts_; }
  /// Updates of the whole run, or readings at most of a model that counts; 0 if one is enough.
  std::int64_t steps() const { return steps_; }
  /// The section `samples`; null if there is none.
  const TextSamples* samples() const { return samples_ ? &*samples_ : nullptr; }
  Request train_request() const;
  Request evaluate_request() const;

 private:
  void refuse_looking_both_ways() const;
  void refuse_no_text() const;
  void make_samples();
  std::int32_t stop_id() const;
  void refuse_unattended() const;
  void refuse_undecodable() const;
  void refuse_other_tokens() const;
  void note_start();

  const RunSetup& setup_;
  std::shared_ptr<const Material> material_;
  DataSpec spec_;
  Parameters parameters_;
  std::optional<StartingWeights> starting_weights_;
  Facts start_facts_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<Scheduler> scheduler_;
  std::optional<TextSamples> samples_;
  std::optional<Trainer> trainer_;
  std::int64_t steps_ = 0;
};

/// What a pass over a batch refused, such as fields that the data do not have, as a fault of the
/// configuration, with its place.
ASSAY_API Error refused_pass(const RunSetup& setup, const Error& error);

}  // namespace assay
