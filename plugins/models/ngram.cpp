// The n-gram model: how often each token followed the `context` tokens before it, in training.
//
//   P(x | c) = (count(c x) + smoothing) / (count(c) + smoothing K),   count(c) = sum over x of
//   count(c x)
//
// smoothing 1 is add-one (Laplace). With smoothing 0 a token never seen after c has probability 0
// (loss infinity). A context never seen gives every token 1/K, whatever the smoothing (the limit as
// it goes to 0). Where fewer tokens stand before (at the beginning of a text), the counts of all
// contexts that end in those are added up.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

// How often each key occurs, by open addressing: keys are below 2^63, so ~0 marks a free place.
class KeyCounts {
 public:
  struct Entry {
    std::uint64_t key = ~std::uint64_t{0};
    std::int64_t count = 0;
  };

  void add(std::uint64_t key) {
    if (2 * (used_ + 1) > table_.size()) grow();
    Entry& entry = place(key);
    if (entry.count++ == 0) {
      entry.key = key;
      ++used_;
    }
  }

  std::vector<Entry> sorted() const {
    std::vector<Entry> entries;
    entries.reserve(used_);
    for (const Entry& entry : table_)
      if (entry.count > 0) entries.push_back(entry);
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.key < b.key; });
    return entries;
  }

 private:
  Entry& place(std::uint64_t key) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = (key * 0x9E3779B97F4A7C15u) >> shift_;  // Fibonacci hashing (Knuth, 6.4)
    while (table_[at].count > 0 && table_[at].key != key) at = (at + 1) & mask;
    return table_[at];
  }

  void grow() {
    const std::vector<Entry> old = std::move(table_);
    --shift_;
    table_.assign(std::size_t{1} << (64 - shift_), {});
    for (const Entry& entry : old)
      if (entry.count > 0) place(entry.key) = entry;
  }

  std::vector<Entry> table_;
  std::size_t used_ = 0;
  int shift_ = 55;  // of the hash: the table has 2^(64 - shift) places
};

// The last tokens as one number, the latest in the highest bits, so that contexts that end alike
// are neighbours.
class Context {
 public:
  Context(std::int64_t length, int bits) : length_(length), bits_(bits) {}

  void push(std::int32_t id) {
    if (id < 0) {
      known_ = 0;  // nothing stands there: what came before is no context
      return;
    }
    if (length_ == 0) return;
    key_ = (key_ >> bits_) | (static_cast<std::uint64_t>(id) << ((length_ - 1) * bits_));
    known_ = std::min(known_ + 1, length_);
  }
  bool complete() const { return known_ == length_; }
  /// The tokens that are known, alone.
  std::uint64_t key() const { return key_ >> (missing() * bits_); }
  std::int64_t missing() const { return length_ - known_; }

 private:
  std::int64_t length_, known_ = 0;
  std::uint64_t key_ = 0;
  int bits_;
};

class Ngram final : public Model {
 public:
  struct Options {
    std::int64_t context = 1;
    double smoothing = 1;
    static void describe(OptionList<Options>& o) {
      o.add("context", &Options::context,
            "Tokens before the predicted one that count: 0 unigram, 1 bigram, ... A token takes as "
            "many bits as the "
            "vocabulary needs, and context + 1 of them must fit into 63: context 8 for 65 "
            "characters.")
          .at_least(0);
      o.add("smoothing", &Options::smoothing,
            "Added to every count: 1 is add-one; 0 gives unseen tokens probability 0.")
          .at_least(0);
    }
  };

  Ngram(const Options& options, const ModelBuild& build)
      : options_(options), vocabulary_(build.data.field("target").vocabulary) {
    const FieldSpec& input = build.data.field("input");
    if (build.data.field("target").length == 0 || input.vocabulary != vocabulary_)
      throw Error(ExitCode::usage,
                  "model 'ngram' predicts the next of the tokens that it reads: wanted data with "
                  "input and target of "
                  "one vocabulary, and a target at every position");
    bits_ =
        std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(vocabulary_ - 1))));
    constexpr std::int64_t kKeyBits = 63;
    if (options_.context > kKeyBits / bits_ - 1)
      throw Error(ExitCode::usage,
                  "model.context: " + std::to_string(options_.context) +
                      " is too long for a vocabulary of " + std::to_string(vocabulary_) +
                      ": model 'ngram' can take at most " + std::to_string(kKeyBits / bits_ - 1));
  }

  bool learns_by_counting() const override { return true; }
  std::int64_t history() const override { return std::max<std::int64_t>(0, options_.context - 1); }

  void fit(BatchStream& train) override {
    KeyCounts counts;
    train.rewind();
    while (const std::optional<Batch> batch = train.next()) count(*batch, counts);
    events_ = counts.sorted();
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    const Field<std::int32_t> input = batch.ids("input");
    const Tensor logits = pass.tape().result(input.shape.appended(vocabulary_), {});
    float* out = logits.slot().data;
    walk(batch, [&](const Context& context, std::size_t) {
      predict(context, {out, static_cast<std::size_t>(vocabulary_)});
      out += vocabulary_;
    });
    return {logits, {}};
  }

  void state(StateIo& io) override {
    std::vector<std::int64_t> keys, counts;
    for (const Event& event : events_) {
      keys.push_back(static_cast<std::int64_t>(event.key));
      counts.push_back(event.count);
    }
    io.integers("events", keys);
    io.integers("counts", counts);
    if (!io.restores()) return;
    bool sound = keys.size() == counts.size();
    events_.clear();
    for (std::size_t i = 0; sound && i < keys.size(); ++i) {
      const auto key = static_cast<std::uint64_t>(keys[i]);
      sound = keys[i] >= 0 && counts[i] > 0 && (i == 0 || keys[i] > keys[i - 1]) &&
              token(key) < vocabulary_;
      events_.push_back({key, counts[i]});
    }
    if (!sound) throw Error(ExitCode::data, "model 'ngram': the saved counts are damaged");
  }

 private:
  using Event = KeyCounts::Entry;  // key: context (see Context), then the token that followed

  std::int64_t token(std::uint64_t event) const {
    return static_cast<std::int64_t>(event & ((std::uint64_t{1} << bits_) - 1));
  }

  // use(context of position i, i) for every position of every row, counted through.
  template <class Use>
  void walk(const Batch& batch, const Use& use) const {
    const Field<std::int32_t> input = batch.ids("input");
    const std::int64_t rows = input.shape[0], length = input.shape[1];
    const bool has_history = batch.has("history");
    const Field<std::int32_t> history = has_history ? batch.ids("history") : Field<std::int32_t>{};
    const std::int64_t before = has_history ? history.shape[1] : 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      Context context(options_.context, bits_);
      for (std::int64_t i = row * before; i < (row + 1) * before; ++i)
        context.push(checked(history.values[static_cast<std::size_t>(i)]));
      for (std::int64_t i = row * length; i < (row + 1) * length; ++i) {
        const auto at = static_cast<std::size_t>(i);
        context.push(checked(input.values[at]));
        use(context, at);
      }
    }
  }

  std::int32_t checked(std::int32_t id) const {
    if (id < vocabulary_) return id;
    throw Error(ExitCode::data, "model 'ngram': token " + std::to_string(id) +
                                    " is outside the vocabulary of " + std::to_string(vocabulary_));
  }

  void count(const Batch& batch, KeyCounts& counts) const {
    const auto targets = batch.ids("target").values;
    walk(batch, [&](const Context& context, std::size_t position) {
      const std::int32_t target = checked(targets[position]);
      if (target < 0 || !context.complete()) return;
      counts.add((context.key() << bits_) | static_cast<std::uint64_t>(target));
    });
  }

  void predict(const Context& context, std::span<float> logits) const {
    const auto shift = static_cast<int>((context.missing() + 1) * bits_);
    const std::uint64_t key = context.key();
    const auto begin = std::lower_bound(
        events_.begin(), events_.end(), key << shift,
        [](const Event& event, std::uint64_t wanted) { return event.key < wanted; });
    auto end = begin;
    double total = 0;
    for (; end != events_.end() && end->key >> shift == key; ++end)
      total += static_cast<double>(end->count);
    const double smoothing = options_.smoothing, size = static_cast<double>(vocabulary_);
    if (total == 0) {
      std::fill(logits.begin(), logits.end(), static_cast<float>(-std::log(size)));
      return;
    }
    const double denominator = total + smoothing * size;
    std::fill(logits.begin(), logits.end(), static_cast<float>(std::log(smoothing / denominator)));
    if (context.complete()) {
      for (auto event = begin; event != end; ++event)
        logits[static_cast<std::size_t>(token(event->key))] = static_cast<float>(
            std::log((static_cast<double>(event->count) + smoothing) / denominator));
      return;
    }
    std::vector<double> counts(logits.size());
    for (auto event = begin; event != end; ++event)
      counts[static_cast<std::size_t>(token(event->key))] += static_cast<double>(event->count);
    for (std::size_t x = 0; x < counts.size(); ++x)
      if (counts[x] > 0)
        logits[x] = static_cast<float>(std::log((counts[x] + smoothing) / denominator));
  }

  Options options_;
  std::int64_t vocabulary_ = 0;
  int bits_ = 1;               // of a token
  std::vector<Event> events_;  // sorted by key
};

}  // namespace

ASSAY_PLUGIN(Model, "ngram", Ngram, "Counts of what followed each context, smoothed.")
