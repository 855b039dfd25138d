// Cross-entropy of a target sequence given a source: "target" [B, N], negative where there is
// padding. Figures: the share of targets that are the most likely token, and the share of sequences
// that greedy decoding writes without a mistake. For the latter nothing need be decoded: as long as
// no mistake is made, a greedy decoder has before it exactly what the model is given here, so it
// writes the target if and only if every target is the most likely token in its place.
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class Seq2Seq final : public Objective {
 public:
  using Options = LabelSmoothing;
  Seq2Seq(const Options& options, const ObjectiveBuild& build) : options_(options) {
    build.data.field("source");
    build.data.field("target");
  }

  SummedLoss loss(const Output& output, const Batch& batch, Pass& pass) const override {
    return cross_entropy(output.logits, batch.ids("target").values, {}, options_.smoothing(pass));
  }

  std::vector<Figure> figures(const Output& output, const Batch& batch) const override {
    const Field<std::int32_t> target = batch.ids("target");
    const auto classes = static_cast<std::size_t>(output.logits.shape()[-1]);
    const auto length = target.values.size() / static_cast<std::size_t>(batch.size());
    Figure accuracy{"accuracy"}, exact{"exact"};
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch.size()); ++row) {
      double targets = 0, right = 0;
      for (std::size_t i = row * length; i < (row + 1) * length; ++i) {
        if (target.values[i] < 0) continue;
        const auto logits = output.logits.values().subspan(i * classes, classes);
        targets += 1;
        right += is_most_likely(target.values[i], logits) ? 1 : 0;
      }
      accuracy.sum += right, accuracy.weight += targets;
      if (targets == 0) continue;
      exact.sum += right == targets ? 1 : 0, exact.weight += 1;
    }
    return {accuracy, exact};
  }

  bool needs_causal_model() const override { return true; }

 private:
  Options options_;
};

}  // namespace

ASSAY_PLUGIN(Objective, "seq2seq", Seq2Seq,
             "Cross-entropy of a target sequence; exact matches by greedy decoding.")
