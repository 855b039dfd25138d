// Telling words that stand near each other from words drawn at random (Mikolov, Sutskever, Chen,
// Corrado and Dean, 2013, "Distributed representations of words and phrases and their
// compositionality", equations 4 and 5; the mean of the context and the windows of random width are
// those of the authors' program).
//
//   loss = - log sigmoid(s_0) - sum over k of log sigmoid(-s_k),  s_0 of the true word, s_k of
//   others
//
// cbow:      the words around a place are the context, the word there the true one.
// skip_gram: the word there is the context, each word around it the true one in turn.
//
// A row of the batch is a text of its own: its input. Each word is first kept with probability
// sqrt(t / f) + t / f, f its share of the training text and t = subsample, and the others close up;
// then each place gets a window of 1 to `window` words on either side. Others are drawn by their
// count in training to the power of `power`; one that is the true word is left out. Places whose
// target is ignored have no loss. The loss is per true word, so log 2 (1 + negatives) before
// training. Figure: ranked_first, the share of true words that score above all others.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

// Draws from a distribution in constant time: each column holds one outcome and the rest of another
// (Walker, 1977, "An efficient method for generating discrete random variables with general
// distributions"; built as by Vose, 1991).
class Alias {
 public:
  explicit Alias(const std::vector<double>& weights)
      : limits_(weights.size(), 1), others_(weights.size()) {
    double total = 0;
    for (const double weight : weights) total += weight;
    std::vector<double> scaled;
    std::vector<std::size_t> small, large;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      scaled.push_back(weights[i] / total * static_cast<double>(weights.size()));
      others_[i] = static_cast<std::int32_t>(i);
      (scaled[i] < 1 ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty()) {
      const std::size_t less = small.back(), more = large.back();
      small.pop_back();
      limits_[less] = scaled[less];
      others_[less] = static_cast<std::int32_t>(more);
      scaled[more] -= 1 - scaled[less];
      if (scaled[more] >= 1) continue;
      large.pop_back();
      small.push_back(more);
    }
  }

  std::int32_t operator()(double uniform) const {  // in [0, 1)
    const double place = uniform * static_cast<double>(limits_.size());
    const auto column = std::min(static_cast<std::size_t>(place), limits_.size() - 1);
    return place - static_cast<double>(column) < limits_[column] ? static_cast<std::int32_t>(column)
                                                                 : others_[column];
  }

 private:
  std::vector<double> limits_;
  std::vector<std::int32_t> others_;
};

class NegativeSampling final : public Objective {
 public:
  struct Options {
    std::string variant = "skip_gram";
    std::int64_t window = 5, negatives = 5;
    double subsample = 1e-3, power = 0.75;
    static void describe(OptionList<Options>& o) {
      o.add("variant", &Options::variant,
            "skip_gram: from a word those around it; cbow: from those around a word the word.")
          .one_of({"skip_gram", "cbow"});
      o.add("window", &Options::window, "Words on either side that count as near, at most.")
          .at_least(1);
      o.add("negatives", &Options::negatives, "Words drawn at random for each true one.")
          .at_least(1);
      o.add("subsample", &Options::subsample,
            "Share of the text above which words are left out now and then; 0: none are.")
          .at_least(0);
      o.add("power", &Options::power,
            "Of a word's count when others are drawn: 1 as often as in the text, 0 all alike.")
          .at_least(0);
    }
  };

  NegativeSampling(const Options& options, const ObjectiveBuild& build)
      : options_(options),
        counts_(counts_of(build.data)),
        kept_(kept(counts_, options.subsample)),
        noise_(powers(counts_, options.power)) {}

  Batch prepare(Batch batch, const Random& random) const override {
    const Draws draws = {random.with("subsample"), random.with("window"), random.with("negatives")};
    std::vector<Row> rows(static_cast<std::size_t>(batch.size()));
    parallel_for(batch.size(), [&](std::int64_t row) {
      rows[static_cast<std::size_t>(row)] = pairs_of(batch, row, draws);
    });
    return together(rows);
  }

  SummedLoss loss(const Output& output, const Batch& batch, Pass&) const override {
    const auto labels = batch.reals("label").values;
    return {binary_cross_entropy(output.logits, labels).sum, pairs(labels)};
  }

  std::vector<Figure> figures(const Output& output, const Batch& batch) const override {
    const auto labels = batch.reals("label").values, scores = output.logits.values();
    Figure first{"ranked_first", 0, pairs(labels)};
    for (std::size_t at = 0; at < labels.size(); at += each()) {
      if (labels[at] < 0) continue;
      bool above = true;
      for (std::size_t k = at + 1; k < at + each(); ++k)
        above = above && (labels[k] < 0 || scores[at] > scores[k]);
      first.sum += above ? 1 : 0;
    }
    return {first};
  }

 private:
  struct Draws {
    Random subsample, window, negatives;
  };
  // What one text gives: of each pair the context [C], candidates and labels [M].
  struct Row {
    std::vector<std::int32_t> context, candidates;
    std::vector<float> labels;
  };

  static std::vector<double> counts_of(const DataSpec& data) {
    const FieldSpec& input = data.field("input");
    std::vector<double> counts(input.occurrences.begin(), input.occurrences.end());
    if (counts.empty()) counts.assign(static_cast<std::size_t>(input.vocabulary), 1);
    if (counts.empty() || data.field("target").vocabulary != input.vocabulary)
      throw Error(
          ExitCode::usage,
          "objective 'negative_sampling' is about the words around a word: wanted data with "
          "input and target of one vocabulary, such as dataset 'text'");
    return counts;
  }

  static std::vector<double> kept(const std::vector<double>& counts, double subsample) {
    double total = 0;
    for (const double count : counts) total += count;
    std::vector<double> kept(counts.size(), 1);
    for (std::size_t i = 0; subsample > 0 && i < counts.size(); ++i) {
      const double excess = subsample * total / counts[i];  // infinite for a word never seen
      kept[i] = std::sqrt(excess) + excess;
    }
    return kept;
  }

  static std::vector<double> powers(std::vector<double> counts, double power) {
    for (double& count : counts) count = count > 0 ? std::pow(count, power) : 0;
    return counts;
  }

  bool cbow() const { return options_.variant == "cbow"; }
  std::size_t around() const { return static_cast<std::size_t>(2 * options_.window); }
  std::size_t contexts() const { return cbow() ? around() : 1; }                         // C
  std::size_t each() const { return 1 + static_cast<std::size_t>(options_.negatives); }  // M

  double pairs(std::span<const float> labels) const {
    double count = 0;
    for (std::size_t at = 0; at < labels.size(); at += each()) count += labels[at] < 0 ? 0 : 1;
    return count;
  }

  // The numbers that are drawn for a place depend on row and place alone.
  Row pairs_of(const Batch& batch, std::int64_t row, const Draws& draws) const {
    const Field<std::int32_t> input = batch.ids("input"), target = batch.ids("target");
    const auto length = static_cast<std::size_t>(input.shape[1]);
    const std::size_t first = static_cast<std::size_t>(row) * length;
    std::vector<std::size_t> places;  // of the words that are kept
    for (std::size_t at = first; at < first + length; ++at)
      if (input.values[at] >= 0 &&
          draws.subsample.uniform(at) < kept_[static_cast<std::size_t>(input.values[at])])
        places.push_back(at);
    Row result;
    std::vector<std::int32_t> near;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t at = places[i];
      if (target.values[at] < 0) continue;
      const auto reach = static_cast<std::size_t>(
          1 + draws.window.below(at, static_cast<std::uint64_t>(options_.window)));
      near.clear();
      for (std::size_t j = i - std::min(i, reach); j < std::min(places.size(), i + reach + 1); ++j)
        if (j != i) near.push_back(input.values[places[j]]);
      const std::int32_t word = input.values[at];
      if (near.empty()) continue;
      if (cbow()) {
        near.resize(contexts(), -1);
        add_pair(result, near, word, draws.negatives, at * around());
        continue;
      }
      for (std::size_t k = 0; k < near.size(); ++k)
        add_pair(result, std::span(&word, 1), near[k], draws.negatives, at * around() + k);
    }
    return result;
  }

  void add_pair(Row& row, std::span<const std::int32_t> context, std::int32_t word,
                const Random& random, std::size_t number) const {
    row.context.insert(row.context.end(), context.begin(), context.end());
    row.candidates.push_back(word);
    row.labels.push_back(1);
    for (std::size_t k = 1; k < each(); ++k) {
      const std::int32_t other = noise_(random.uniform(number * each() + k));
      row.candidates.push_back(other == word ? -1 : other);
      row.labels.push_back(other == word ? -1.0F : 0.0F);
    }
  }

  // Rows of one length: shorter ones end in pairs of nothing, which have no loss.
  Batch together(const std::vector<Row>& rows) const {
    std::size_t most = 1;
    for (const Row& row : rows) most = std::max(most, row.candidates.size() / each());
    const auto size = static_cast<std::int64_t>(rows.size());
    const auto shape = [&](std::size_t last) {
      return Shape{size, static_cast<std::int64_t>(most), static_cast<std::int64_t>(last)};
    };
    Batch batch(size);
    const auto context = batch.add_ids("context", shape(contexts()));
    const auto candidates = batch.add_ids("candidates", shape(each()));
    const auto labels = batch.add_reals("label", shape(each()));
    std::fill(context.begin(), context.end(), -1);
    std::fill(candidates.begin(), candidates.end(), -1);
    std::fill(labels.begin(), labels.end(), -1.0F);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto put = [&](const auto& from, auto into, std::size_t width) {
        std::copy(from.begin(), from.end(), into.begin() + i * most * width);
      };
      put(rows[i].context, context, contexts());
      put(rows[i].candidates, candidates, each());
      put(rows[i].labels, labels, each());
    }
    return batch;
  }

  Options options_;
  std::vector<double> counts_, kept_;  // of each word
  Alias noise_;
};

}  // namespace

ASSAY_PLUGIN(Objective, "negative_sampling", NegativeSampling,
             "Telling near words from words drawn at random (word2vec).")
