// Cross-entropy of one class per row: "target" [B], negative where a row has none. Figure: the
// share of rows whose class is the most likely one. Answers per position ("target" [B, N]) are
// counted in the same way, each for itself.
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class Classify final : public Objective {
 public:
  using Options = LabelSmoothing;
  Classify(const Options& options, const ObjectiveBuild& build) : options_(options) {
    build.data.field("target");
  }

  SummedLoss loss(const Output& output, const Batch& batch, Pass& pass) const override {
    return cross_entropy(output.logits, batch.ids("target").values, {}, options_.smoothing(pass));
  }

  std::vector<Figure> figures(const Output& output, const Batch& batch) const override {
    return {accuracy_of(output.logits, batch.ids("target").values)};
  }

 private:
  Options options_;
};

}  // namespace

ASSAY_PLUGIN(Objective, "classify", Classify, "Cross-entropy of a class, with the accuracy.")
