// Naive Bayes with multinomial events: the tokens of a document are drawn one by one, given its
// class (McCallum and Nigam, 1998, "A comparison of event models for naive Bayes text
// classification").
//
//   log P(c | d) = log P(c) + sum over tokens w of d of log P(w | c) + constant
//   P(w | c) = (count(w in c) + smoothing) / (tokens of c + smoothing V)
//
// With smoothing 0 a token that no document of a class has rules that class out; a document whose
// tokens rule out all of them has the prior. A class without training documents has probability 0
// unless priors are equal.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class NaiveBayes final : public Model {
 public:
  struct Options {
    double smoothing = 1;
    std::string priors = "counts";
    static void describe(OptionList<Options>& o) {
      o.add("smoothing", &Options::smoothing,
            "Added to the count of every token in every class: 1 is add-one.")
          .at_least(0);
      o.add("priors", &Options::priors,
            "counts: the share of each class among the training documents; equal: all alike.")
          .one_of({"counts", "equal"});
    }
  };

  NaiveBayes(const Options& options, const ModelBuild& build) : options_(options) {
    const FieldSpec& target = build.data.field("target");
    if (target.length != 0)
      throw Error(ExitCode::usage,
                  "model 'naive_bayes' gives one class per document: wanted data with one target "
                  "per row, such as dataset 'labelled_text'");
    vocabulary_ = static_cast<std::size_t>(build.data.field("input").vocabulary);
    classes_ = static_cast<std::size_t>(target.vocabulary);
    forget();
    set_logarithms();
  }

  bool learns_by_counting() const override { return true; }
  bool causal() const override { return false; }

  Reading fit(BatchStream& train) override {
    forget();
    train.rewind();
    while (const std::optional<Batch> batch = train.next()) {
      const auto targets = batch->ids("target").values;
      walk(
          *batch,
          [&](std::size_t row) {
            if (targets[row] >= 0) ++documents_[of_class(targets[row])];
          },
          [&](std::size_t row, std::size_t token) {
            if (targets[row] >= 0) ++counts_[token * classes_ + of_class(targets[row])];
          });
    }
    set_logarithms();
    return {};
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    const std::int64_t rows = batch.ids("input").shape[0];
    std::vector<double> scores(static_cast<std::size_t>(rows) * classes_);
    walk(
        batch,
        [&](std::size_t row) {
          std::copy(log_priors_.begin(), log_priors_.end(), scores.begin() + offset(row));
        },
        [&](std::size_t row, std::size_t token) {
          for (std::size_t k = 0; k < classes_; ++k)
            scores[row * classes_ + k] += log_likelihoods_[token * classes_ + k];
        });
    const Tensor logits = pass.tape().result({rows, static_cast<std::int64_t>(classes_)}, {});
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
      normalise({scores.data() + row * classes_, classes_}, logits.slot().data + row * classes_);
    return {logits, {}};
  }

  void state(StateIo& io) override {
    io.integers("counts", counts_);
    io.integers("documents", documents_);
    if (!io.restores()) return;
    const auto is_count = [](std::int64_t n) { return n >= 0; };
    if (counts_.size() != vocabulary_ * classes_ || documents_.size() != classes_ ||
        !std::all_of(counts_.begin(), counts_.end(), is_count) ||
        !std::all_of(documents_.begin(), documents_.end(), is_count))
      throw Error(ExitCode::data, "model 'naive_bayes': the saved counts are damaged");
    set_logarithms();
  }

 private:
  std::ptrdiff_t offset(std::size_t row) const {
    return static_cast<std::ptrdiff_t>(row * classes_);
  }

  void forget() {
    counts_.assign(vocabulary_ * classes_, 0);
    documents_.assign(classes_, 0);
  }

  // begin(row) for every row, then use(row, token) for its real tokens.
  template <class Begin, class Use>
  void walk(const Batch& batch, const Begin& begin, const Use& use) const {
    const Field<std::int32_t> input = batch.ids("input");  // [B, N]
    const std::span<const std::uint8_t> mask = batch.marks_or_none("mask");
    const auto rows = static_cast<std::size_t>(input.shape[0]);
    const auto length = static_cast<std::size_t>(input.shape[1]);
    for (std::size_t row = 0; row < rows; ++row) {
      begin(row);
      for (std::size_t i = row * length; i < (row + 1) * length; ++i)
        if (mask.empty() || mask[i] != 0) use(row, checked(input.values[i], vocabulary_, "token"));
    }
  }

  std::size_t of_class(std::int32_t target) const { return checked(target, classes_, "class"); }

  static std::size_t checked(std::int32_t id, std::size_t size, const char* what) {
    if (id >= 0 && static_cast<std::size_t>(id) < size) return static_cast<std::size_t>(id);
    throw Error(ExitCode::data, "model 'naive_bayes': " + std::string(what) + " " +
                                    std::to_string(id) + " is not one of " + std::to_string(size));
  }

  void set_logarithms() {
    std::int64_t documents = 0;
    for (const std::int64_t count : documents_) documents += count;
    log_priors_.resize(classes_);
    for (std::size_t k = 0; k < classes_; ++k)
      log_priors_[k] =
          options_.priors == "equal" || documents == 0
              ? -std::log(static_cast<double>(classes_))
              : std::log(static_cast<double>(documents_[k]) / static_cast<double>(documents));
    std::vector<double> totals(classes_);
    for (std::size_t i = 0; i < counts_.size(); ++i)
      totals[i % classes_] += static_cast<double>(counts_[i]);
    log_likelihoods_.resize(counts_.size());
    const auto size = static_cast<double>(vocabulary_);
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const double total = totals[i % classes_] + options_.smoothing * size;
      // Nothing is known of a class without tokens: the limit as smoothing goes to 0.
      log_likelihoods_[i] =
          total == 0 ? -std::log(size)
                     : std::log((static_cast<double>(counts_[i]) + options_.smoothing) / total);
    }
  }

  void normalise(std::span<double> scores, float* logits) const {
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    if (*std::max_element(scores.begin(), scores.end()) == kNone)
      std::copy(log_priors_.begin(), log_priors_.end(), scores.begin());
    const double best = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (const double score : scores) sum += std::exp(score - best);
    for (std::size_t k = 0; k < scores.size(); ++k)
      logits[k] = static_cast<float>(scores[k] - best - std::log(sum));
  }

  Options options_;
  std::size_t vocabulary_ = 0, classes_ = 0;
  std::vector<std::int64_t> counts_, documents_;  // [V, K], [K]
  std::vector<double> log_likelihoods_, log_priors_;
};

}  // namespace

ASSAY_PLUGIN(Model, "naive_bayes", NaiveBayes, "Class of a text from counts of its tokens.")
