// Cross-entropy of the token that comes next: "target" [B, N], negative where none is to be
// predicted, each counted with its "weight" [B, N] if the batch has such a field.
#include "assay.h"

namespace {

using namespace assay;

class NextToken final : public Objective {
 public:
  explicit NextToken(const ObjectiveBuild& build) { build.data.field("target"); }

  SummedLoss loss(const Output& output, const Batch& batch, Pass&) const override {
    std::span<const float> weights;
    if (batch.has("weight")) weights = batch.reals("weight").values;
    return cross_entropy(output.logits, batch.ids("target").values, weights);
  }

  bool needs_causal_model() const override { return true; }
};

}  // namespace

ASSAY_PLUGIN(Objective, "next_token", NextToken, "Cross-entropy of the next token.")
