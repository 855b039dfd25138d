// Cross-entropy of one class per row: "target" [B], negative where a row has none. Figure: the
// share of rows whose class is the most likely one. Answers per position ("target" [B, N]) are
// counted in the same way, each for itself.
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class Classify final : public Objective {
 public:
  explicit Classify(const ObjectiveBuild& build) { build.data.field("target"); }

  SummedLoss loss(const Output& output, const Batch& batch, Pass&) const override {
    return cross_entropy(output.logits, batch.ids("target").values);
  }

  std::vector<Figure> figures(const Output& output, const Batch& batch) const override {
    const auto targets = batch.ids("target").values;
    const auto classes = static_cast<std::size_t>(output.logits.shape()[-1]);
    Figure accuracy{"accuracy"};
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (targets[i] < 0) continue;
      const auto logits = output.logits.values().subspan(i * classes, classes);
      accuracy.sum += is_most_likely(targets[i], logits) ? 1 : 0;
      accuracy.weight += 1;
    }
    return {accuracy};
  }
};

}  // namespace

ASSAY_PLUGIN(Objective, "classify", Classify, "Cross-entropy of a class, with the accuracy.")
