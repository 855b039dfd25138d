// The n-gram model: how often each token followed the `context` tokens before it, in training.
//
// additive:     P(x | u) = (c(u x) + smoothing) / (c(u) + smoothing K),  c(u) = sum over x of c(u
// x)
//   smoothing 1 is add-one (Laplace); with 0 a token never seen after u has probability 0 (loss
//   infinity). A context never seen gives every token 1/K, whatever the smoothing (the limit as it
//   goes to 0).
// interpolated: P(x | u) = weight c(u x) / c(u) + (1 - weight) P(x | u'),  u' one token shorter
//   (Jelinek and Mercer, 1980); below the empty context stands 1/K.
// kneser_ney:   P(x | u) = (c(u x) - D) / c(u) + (what the D's add up to) / c(u) P(x | u')
//   with three discounts D for counts of 1, 2 and more, estimated for each length of context, and
//   below the longest the number of different tokens before u x in place of c(u x) (Kneser and Ney,
//   1995; Chen and Goodman, 1999, "modified", equations 9, 17 and 26).
//
// In the last two a context never seen leaves all to the one a token shorter. Where fewer tokens
// stand before than `context` (at the beginning of a text) these are the context.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

using Discounts = std::array<double, 4>;  // by count, 3 for all above; [0] is 0

// From how many of a level's counts are 1, 2, 3 and 4 (Chen and Goodman, equation 17). Where these
// give no sensible discounts, because there are too few counts, fixed ones stand in.
Discounts estimate_discounts(const std::array<double, 5>& n) {
  constexpr Discounts kFixed = {0, 0.5, 1, 1.5};
  const double y = n[1] / (n[1] + 2 * n[2]);
  const Discounts d = {0, 1 - 2 * y * n[2] / n[1], 2 - 3 * y * n[3] / n[2],
                       3 - 4 * y * n[4] / n[3]};
  for (std::size_t i = 1; i < d.size(); ++i)
    if (!(d[i] >= 0 && d[i] <= static_cast<double>(i))) return kFixed;
  return d;
}

class Ngram final : public Model {
 public:
  struct Options {
    std::int64_t context = 1;
    std::string method = "additive";
    std::optional<double> smoothing, weight;
    static void describe(OptionList<Options>& o) {
      o.add(
           "context", &Options::context,
           "Tokens before the predicted one that count: 0 unigram, 1 bigram, ... Memory grows with "
           "the different contexts up to this length.")
          .at_least(0);
      o.add("method", &Options::method,
            "What is never or rarely seen gets its probability by additive smoothing, by mixing "
            "with shorter contexts (interpolated), or by Kneser and Ney's discounts.")
          .one_of({"additive", "interpolated", "kneser_ney"});
      o.add("smoothing", &Options::smoothing,
            "Of additive: added to every count; 0 gives unseen tokens probability 0. Default: 1, "
            "add-one.")
          .at_least(0);
      o.add("weight", &Options::weight,
            "Of interpolated: share of a context in the mixture with the one shorter. Default: "
            "0.5.")
          .above(0)
          .below(1);
      o.rule("smoothing is of method additive only",
             [](const Options& g) { return !g.smoothing || g.method == "additive"; });
      o.rule("weight is of method interpolated only",
             [](const Options& g) { return !g.weight || g.method == "interpolated"; });
    }
  };

  Ngram(const Options& options, const ModelBuild& build)
      : options_(options), vocabulary_(build.data.field("target").vocabulary) {
    const FieldSpec& input = build.data.field("input");
    if (build.data.field("target").length == 0 || input.vocabulary != vocabulary_)
      throw Error(ExitCode::usage,
                  "model 'ngram' predicts the next of the tokens that it reads: wanted data with "
                  "input and target of one vocabulary, and a target at every position");
    derive();
  }

  bool learns_by_counting() const override { return true; }
  std::int64_t history() const override { return std::max<std::int64_t>(0, options_.context - 1); }
  std::int64_t reach() const override { return std::max<std::int64_t>(1, options_.context); }

  Reading fit(BatchStream& train) override {
    ContextCounter counter(options_.context);
    train.rewind();
    while (const std::optional<Batch> batch = train.next()) {
      const auto targets = batch->ids("target").values;
      walk(*batch, [&](std::span<const std::int32_t> context, std::size_t position) {
        const std::int32_t target = checked(targets[position]);
        if (target >= 0) counter.add(context, target);
      });
    }
    tree_ = counter.tree();
    derive();
    return {};
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    const Field<std::int32_t> input = batch.ids("input");
    const Tensor logits = pass.tape().result(input.shape.appended(vocabulary_), {});
    float* out = logits.slot().data;
    std::vector<double> work;
    walk(batch, [&](std::span<const std::int32_t> context, std::size_t) {
      const std::span<float> row(out, static_cast<std::size_t>(vocabulary_));
      if (options_.method == "additive")
        add_to_counts(context, row);
      else
        mix(context, row, work);
      out += vocabulary_;
    });
    return {logits, {}};
  }

  void state(StateIo& io) override {
    tree_.state(io, "model 'ngram'", vocabulary_, options_.context);
    if (io.restores()) derive();
  }

 private:
  void derive() {
    const bool kneser_ney = options_.method == "kneser_ney";
    tree_.derive(kneser_ney ? ContextTree::Shorter::distinct : ContextTree::Shorter::sums,
                 options_.context);
    discounts_.clear();
    if (!kneser_ney) return;
    for (std::int64_t length = 0; length <= options_.context; ++length) {
      std::array<double, 5> n{};
      const auto [first, last] = tree_.level(length);
      for (ContextTree::Node node = first; node < last; ++node)
        for (const std::int64_t count : tree_.successors(node).counts)
          if (count < static_cast<std::int64_t>(n.size())) ++n[static_cast<std::size_t>(count)];
      discounts_.push_back(estimate_discounts(n));
    }
  }

  // use(the tokens before and at position i, at most `context`, i) for every position of every row,
  // counted through.
  template <class Use>
  void walk(const Batch& batch, const Use& use) const {
    const Field<std::int32_t> input = batch.ids("input");
    const std::int64_t rows = input.shape[0], length = input.shape[1];
    const bool has_history = batch.has("history");
    const Field<std::int32_t> history = has_history ? batch.ids("history") : Field<std::int32_t>{};
    const std::int64_t before = has_history ? history.shape[1] : 0;
    std::vector<std::int32_t> known;
    const auto push = [&](std::int32_t id) {
      if (id < 0)
        known.clear();  // nothing stands there: what came before is no context
      else
        known.push_back(checked(id));
    };
    for (std::int64_t row = 0; row < rows; ++row) {
      known.clear();
      for (std::int64_t i = row * before; i < (row + 1) * before; ++i)
        push(history.values[static_cast<std::size_t>(i)]);
      for (std::int64_t i = row * length; i < (row + 1) * length; ++i) {
        const auto at = static_cast<std::size_t>(i);
        push(input.values[at]);
        const auto count = std::min(known.size(), static_cast<std::size_t>(options_.context));
        use(std::span<const std::int32_t>(known).last(count), at);
      }
    }
  }

  std::int32_t checked(std::int32_t id) const {
    if (id < vocabulary_) return id;
    throw Error(ExitCode::data, "model 'ngram': token " + std::to_string(id) +
                                    " is outside the vocabulary of " + std::to_string(vocabulary_));
  }

  void add_to_counts(std::span<const std::int32_t> context, std::span<float> logits) const {
    ContextTree::Node node = ContextTree::kRoot;
    for (std::size_t back = 1; back <= context.size() && node != ContextTree::kNone; ++back)
      node = tree_.child(node, context[context.size() - back]);
    const auto [tokens, counts] =
        node == ContextTree::kNone ? ContextTree::Successors{} : tree_.successors(node);
    double total = 0;
    for (const std::int64_t count : counts) total += static_cast<double>(count);
    const double smoothing = options_.smoothing.value_or(1);
    const double size = static_cast<double>(vocabulary_);
    if (total == 0) {
      std::fill(logits.begin(), logits.end(), static_cast<float>(-std::log(size)));
      return;
    }
    const double denominator = total + smoothing * size;
    std::fill(logits.begin(), logits.end(), static_cast<float>(std::log(smoothing / denominator)));
    for (std::size_t i = 0; i < tokens.size(); ++i)
      logits[static_cast<std::size_t>(tokens[i])] =
          static_cast<float>(std::log((static_cast<double>(counts[i]) + smoothing) / denominator));
  }

  // From 1/K to the longest context that was seen; p is working space.
  void mix(std::span<const std::int32_t> context, std::span<float> logits,
           std::vector<double>& p) const {
    p.assign(logits.size(), 1 / static_cast<double>(vocabulary_));
    ContextTree::Node node = ContextTree::kRoot;
    for (std::size_t length = 0;; ++length) {
      const auto [tokens, counts] = tree_.successors(node);
      if (!tokens.empty()) mix_in(tokens, counts, length, p);
      if (length == context.size()) break;
      node = tree_.child(node, context[context.size() - length - 1]);
      if (node == ContextTree::kNone) break;
    }
    for (std::size_t x = 0; x < p.size(); ++x) logits[x] = static_cast<float>(std::log(p[x]));
  }

  void mix_in(std::span<const std::int32_t> tokens, std::span<const std::int64_t> counts,
              std::size_t length, std::vector<double>& p) const {
    const auto discount = [&](std::int64_t count) {
      return discounts_.empty()
                 ? 0.0
                 : discounts_[length]
                             [std::min(static_cast<std::size_t>(count), Discounts{}.size() - 1)];
    };
    double total = 0, discounted = 0;
    for (const std::int64_t count : counts) {
      total += static_cast<double>(count);
      discounted += discount(count);
    }
    const double weight = options_.weight.value_or(0.5);
    const double shorter = discounts_.empty() ? 1 - weight : discounted / total;
    const double factor = (discounts_.empty() ? weight : 1) / total;
    for (double& probability : p) probability *= shorter;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      p[static_cast<std::size_t>(tokens[i])] +=
          (static_cast<double>(counts[i]) - discount(counts[i])) * factor;
  }

  Options options_;
  std::int64_t vocabulary_ = 0;
  ContextTree tree_;
  std::vector<Discounts> discounts_;  // by length of context; empty but for kneser_ney
};

}  // namespace

ASSAY_PLUGIN(Model, "ngram", Ngram, "Counts of what followed each context, smoothed.")
