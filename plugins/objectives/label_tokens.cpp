// Cross-entropy of a label for each token: "target" [B, N], negative where a token has none.
// Figures: the share of labels that are the most likely one, and, where labels mark entities
// (B-PER, I-PER, O, ...), how many of the entities that the model names are there (precision), how
// many of those that are there it names (recall), with type and extent, and the harmonic mean of
// both (f1), over all sentences together (Tjong Kim Sang and De Meulder, 2003, "Introduction to the
// CoNLL-2003 shared task").
#include <algorithm>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class LabelTokens final : public Objective {
 public:
  using Options = LabelSmoothing;
  LabelTokens(const Options& options, const ObjectiveBuild& build)
      : options_(options), names_(build.data.field("target").names) {
    if (build.data.field("target").length == 0)
      throw Error(ExitCode::usage,
                  "objective 'label_tokens' needs a label for each token, and this dataset has one "
                  "answer per row; use objective: {type: classify}");
  }

  SummedLoss loss(const Output& output, const Batch& batch, Pass& pass) const override {
    return cross_entropy(output.logits, batch.ids("target").values, {}, options_.smoothing(pass));
  }

  std::vector<Figure> figures(const Output& output, const Batch& batch) const override {
    const Field<std::int32_t> target = batch.ids("target");
    std::vector<Figure> figures = {accuracy_of(output.logits, target.values)};
    if (!names_.mark_spans()) return figures;
    const auto width = static_cast<std::size_t>(target.shape[1]);
    double wanted = 0, named = 0, right = 0;
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch.size()); ++row) {
      std::vector<std::int32_t> truth, guess;
      for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
        if (target.values[i] < 0) continue;
        truth.push_back(target.values[i]);
        guess.push_back(most_likely(output.logits, i));
      }
      const auto there = names_.spans(truth), said = names_.spans(guess);
      wanted += static_cast<double>(there.size()), named += static_cast<double>(said.size());
      for (const TaggedSpan& span : said)
        right += std::find(there.begin(), there.end(), span) != there.end() ? 1 : 0;
    }
    figures.push_back({"precision", right, named});
    figures.push_back({"recall", right, wanted});
    figures.push_back({"f1", 2 * right, wanted + named});
    return figures;
  }

 private:
  static std::int32_t most_likely(Tensor logits, std::size_t position) {
    const auto classes = static_cast<std::size_t>(logits.shape()[-1]);
    const auto row = logits.values().subspan(position * classes, classes);
    return static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
  }

  Options options_;
  TagNames names_;
};

}  // namespace

ASSAY_PLUGIN(Objective, "label_tokens", LabelTokens,
             "Cross-entropy of a label per token; accuracy, F1 of entities.")
