// Training that starts from trained weights: what the section `model` says beside a model's
// options.
//
//   model: {from: results/gpt/seed=1.h5, trainable: [head/*]}          // a new head, the rest
//   stays model: {from: FILE, lora: {rank: 4, on: [layer*/attention/q, layer*/attention/v]}}
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/api.h"
#include "config/options.h"
#include "nn/parameters.h"
#include "results/record.h"

namespace assay {

struct LoraOptions {
  std::int64_t rank = 4;
  std::optional<double> alpha;
  std::vector<std::string> on;
  static void describe(OptionList<LoraOptions>& o);
  double scale() const { return alpha ? *alpha / static_cast<double>(rank) : 1.0; }
};

struct AdaptationOptions {
  std::string from, checkpoint = "final", digest;
  std::vector<std::string> trainable;
  Value lora;
  static void describe(OptionList<AdaptationOptions>& o);
};

/// The options above, as they are in one run.
struct Adaptation {
  AdaptationOptions options;
  std::optional<LoraOptions> lora;
  std::filesystem::path file;  // that `from` names; empty: none
  bool any() const { return !options.from.empty() || !options.trainable.empty() || lora; }
};

/// The keys of a section `model` that are no options of a plugin.
ASSAY_API std::vector<std::string> adaptation_keys();
ASSAY_API Value without_adaptation(const Value& section);
/// Reads them. folder: of the experiment.
ASSAY_API Adaptation read_adaptation(const Value& section, const std::filesystem::path& folder,
                                     Problems& problems);
/// The section of the model in the file, with what `section` says over it. A resolved section,
/// which has the digest, needs no file.
ASSAY_API Value adapted_section(const Adaptation& adaptation, const Value& section,
                                Problems& problems);
/// resolved with the keys of the adaptation, the digest of the weights among them.
ASSAY_API Value with_adaptation(const Adaptation& adaptation, Value resolved);

/// Of a record that was read with its checkpoints. The best one is the last where no other is kept.
/// Throws Error(data), naming the file, if there is none of this name.
ASSAY_API const Checkpoint& stored_checkpoint(const RunRecord& record, const std::string& name,
                                              const std::string& file);

/// The weights that a run starts from.
struct StartingWeights {
  std::string where;  // "FILE, step 900"
  State weights;
  std::optional<State> tokenizer;  // nothing: the file does not say
};
/// Throws Error(data) if the file holds other weights than the digest says.
ASSAY_API std::optional<StartingWeights> read_starting_weights(const Adaptation& adaptation);

/// For the layers of a model that is made afterwards.
ASSAY_API void add_adapters(const Adaptation& adaptation, Parameters& parameters);
/// Which parameters are trained. Throws Error(usage) for a pattern that matches none.
ASSAY_API void choose_trainable(const Adaptation& adaptation, Parameters& parameters);
/// The paths that keep their initial numbers: what the file has not, and heads of another shape.
/// Throws Error(usage) for any other parameter of another shape, or if nothing fits.
ASSAY_API std::vector<std::string> new_parameters(const StartingWeights& start,
                                                  const Parameters& parameters);
/// Puts the weights in place of the initial ones, those of new_parameters aside. Of positions the
/// first ones are taken where fewer are needed.
ASSAY_API void start_from(const StartingWeights& start, Parameters& parameters);
/// Numbers that training changes.
ASSAY_API std::int64_t trainable_count(const Parameters& parameters);

/// The record with each adapter added to its matrix, and none left.
ASSAY_API RunRecord merged(const RunRecord& record, const std::string& where);

}  // namespace assay
