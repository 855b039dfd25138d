// Masked language model (Devlin et al., 2019, section 3.1): some tokens are selected; of these most
// give way to a mask, some to a random token, and the rest stay. The loss counts the selected ones
// only. The mask is the id beyond the vocabulary, which models such as `bert` know.
//
// Padding is never selected, nor is a position whose target the dataset ignores. A batch in which
// nothing is selected weighs nothing.
#include <algorithm>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class MaskedToken final : public Objective {
 public:
  struct Options : LabelSmoothing {
    double select = 0.15, mask = 0.8, random = 0.1;
    static void describe(OptionList<Options>& o) {
      o.add("select", &Options::select, "Share of the tokens that are to be predicted.")
          .above(0)
          .at_most(1);
      o.add("mask", &Options::mask, "Share of these that a mask stands for.")
          .at_least(0)
          .at_most(1);
      o.add("random", &Options::random, "Share of these that a random token stands for.")
          .at_least(0)
          .at_most(1);
      o.rule("mask and random must be at most 1 together",
             [](const Options& m) { return m.mask + m.random <= 1; });
      LabelSmoothing::describe(o);
    }
  };

  MaskedToken(const Options& options, const ObjectiveBuild& build) : options_(options) {
    vocabulary_ = build.data.field("input").vocabulary;
    const FieldSpec& target = build.data.field("target");
    if (target.vocabulary != vocabulary_ || target.length == 0)
      throw Error(ExitCode::usage,
                  "objective 'masked_token' predicts tokens of the input, and this dataset has " +
                      std::to_string(target.vocabulary) + " classes for " +
                      std::to_string(vocabulary_) + " ids; use a dataset of text");
  }

  Batch prepare(Batch batch, const Random& random) const override {
    const Field<std::int32_t> ids = batch.ids("input");
    const Field<std::int32_t> wanted = batch.ids("target");
    const auto marks = batch.marks_or_none("mask");
    Batch masked(batch.size());
    const auto input = masked.add_ids("input", ids.shape);
    const auto target = masked.add_ids("target", ids.shape);
    if (!marks.empty())
      std::copy(marks.begin(), marks.end(), masked.add_marks("mask", ids.shape).begin());
    const Random draw = random.with("masked_token");
    for (std::size_t i = 0; i < input.size(); ++i) {
      input[i] = ids.values[i];
      const bool real = (marks.empty() || marks[i] != 0) && wanted.values[i] >= 0;
      if (!real || draw.uniform(3 * i) >= options_.select) {
        target[i] = -1;
        continue;
      }
      target[i] = ids.values[i];
      const double fate = draw.uniform(3 * i + 1);
      if (fate < options_.mask)
        input[i] = static_cast<std::int32_t>(vocabulary_);
      else if (fate < options_.mask + options_.random)
        input[i] = static_cast<std::int32_t>(
            draw.below(3 * i + 2, static_cast<std::uint64_t>(vocabulary_)));
    }
    return masked;
  }

  SummedLoss loss(const Output& output, const Batch& batch, Pass& pass) const override {
    return cross_entropy(output.logits, batch.ids("target").values, {}, options_.smoothing(pass));
  }

  std::vector<Figure> figures(const Output& output, const Batch& batch) const override {
    return {accuracy_of(output.logits, batch.ids("target").values)};
  }

 private:
  Options options_;
  std::int64_t vocabulary_;
};

}  // namespace

ASSAY_PLUGIN(Objective, "masked_token", MaskedToken,
             "Cross-entropy of tokens that a mask stands for.")
