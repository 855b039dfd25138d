// Cross-entropy of the token that comes next: "target" [B, N], negative where none is to be
// predicted, each counted with its "weight" [B, N] if the batch has such a field. Figure, where
// there are any: the number of targets that the model holds impossible (the loss is infinite then).
#include <limits>

#include "assay.h"

namespace {

using namespace assay;

class NextToken final : public Objective {
 public:
  static constexpr float kImpossible = -std::numeric_limits<float>::infinity();

  using Options = LabelSmoothing;
  NextToken(const Options& options, const ObjectiveBuild& build) : options_(options) {
    build.data.field("target");
  }

  SummedLoss loss(const Output& output, const Batch& batch, Pass& pass) const override {
    std::span<const float> weights;
    if (batch.has("weight")) weights = batch.reals("weight").values;
    return cross_entropy(output.logits, batch.ids("target").values, weights,
                         options_.smoothing(pass));
  }

  std::vector<Figure> figures(const Output& output, const Batch& batch) const override {
    const auto targets = batch.ids("target").values;
    const auto classes = static_cast<std::size_t>(output.logits.shape()[-1]);
    double impossible = 0;
    for (std::size_t i = 0; i < targets.size(); ++i)
      if (targets[i] >= 0 &&
          output.logits.values()[i * classes + static_cast<std::size_t>(targets[i])] == kImpossible)
        ++impossible;
    if (impossible == 0) return {};
    return {{"impossible", impossible, 1, true}};
  }

  bool needs_causal_model() const override { return true; }

 private:
  Options options_;
};

}  // namespace

ASSAY_PLUGIN(Objective, "next_token", NextToken, "Cross-entropy of the next token.")
