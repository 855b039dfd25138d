// Plugin kind `objective`: what is minimised.
//
//   SummedLoss loss(const Output& output, const Batch& batch, Pass& pass) const override {
//     return cross_entropy(output.logits, batch.ids("target").values);
//   }
//
// Losses are summed, never averaged: the trainer divides once by the total weight of the batch, in
// training (with accumulation) and in evaluation, so that neither shards, micro-batches nor the
// evaluation's batch size change it. Threads: const, re-entrant. Ownership: tensors belong to the
// pass. Errors: Error(usage) if the batch lacks a field.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/ops_loss.h"
#include "base/api.h"
#include "config/options.h"
#include "interfaces/batch.h"
#include "interfaces/model.h"

namespace assay {

struct ObjectiveBuild {
  const DataSpec& data;
};

/// The option that all objectives of classes share.
struct LabelSmoothing {
  double label_smoothing = 0;

  /// Owner: these options, or a struct that inherits them.
  template <class Owner>
  static void describe(OptionList<Owner>& o) {
    o.add("label_smoothing", &Owner::label_smoothing,
          "Share of each target that all classes get alike, in training; evaluation stays without.")
        .at_least(0)
        .below(1);
  }
  float smoothing(const Pass& pass) const {
    return pass.training() ? static_cast<float>(label_smoothing) : 0.0F;
  }
};

class ASSAY_API Objective {
 public:
  static constexpr const char* kKind = "objective";
  using Build = ObjectiveBuild;
  virtual ~Objective();

  /// Changes a batch before the model sees it (masking of tokens), with the random numbers of the
  /// step and mode. Default: as it is.
  virtual Batch prepare(Batch batch, const Random& random) const;
  virtual SummedLoss loss(const Output& output, const Batch& batch, Pass& pass) const = 0;
  /// More figures of evaluation as (name, sum, weight), such as ("accuracy", correct, targets); the
  /// trainer folds and divides, unless it is a total, which is the sum itself. A weight of 0: not
  /// to be told. Default: none.
  struct Figure {
    std::string name;
    double sum = 0, weight = 0;
    bool total = false;
  };
  virtual std::vector<Figure> figures(const Output& output, const Batch& batch) const;
  /// The answer stands later in the input, so that a model that looks both ways would copy it.
  /// Default: false.
  virtual bool needs_causal_model() const;
};

/// The figure "accuracy": the share of targets that are the most likely class of their row of
/// logits
/// [..., K]. Negative targets do not count.
ASSAY_API Objective::Figure accuracy_of(Tensor logits, std::span<const std::int32_t> targets);

/// Whether target is the most likely class: no logit is larger, that of no lower class as large,
/// and none is NaN.
ASSAY_API bool is_most_likely(std::int32_t target, std::span<const float> logits);

}  // namespace assay
