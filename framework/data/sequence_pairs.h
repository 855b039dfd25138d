// Pairs of sequences as batches for an encoder and a decoder: what datasets of that kind share.
//
//   source       [B, S]  what is read;                     source_mask  [B, S]
//   input        [B, T]  boundary, then the target;        mask         [B, T]
//   target       [B, T]  the target, then, where its length varies, boundary as its end;
//                        negative where there is padding
//
// Masks are there where lengths vary. S and T are those of the longest pair, whatever the batch, so
// that a model sees the same shapes always.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/api.h"
#include "base/random.h"
#include "config/options.h"
#include "interfaces/dataset.h"

namespace assay {

struct SequencePair {
  std::vector<std::int32_t> source, target;
};

/// What all pairs of a dataset have in common.
struct ASSAY_API PairLayout {
  std::int32_t boundary = 0;  // id before every target, and after those that vary in length
  std::int32_t classes = 0;   // ids of targets are less; the boundary counts where it ends them
  std::int64_t source_length = 0, target_length = 0;  // of the longest
  bool varies = false;

  DataSpec spec() const;
  Batch batch(std::span<const SequencePair> pairs) const;
};

/// Pairs made from random numbers, as many as wanted. Which sources are kept for validation depends
/// on the source alone, one in sixteen, so that no pair of one split is in the other.
class ASSAY_API GeneratedPairs {
 public:
  using Make = std::function<SequencePair(const Random&)>;
  /// name: of the dataset, in messages. validation: the number of its examples.
  GeneratedPairs(std::string name, std::int64_t seed, std::int64_t validation, PairLayout layout,
                 Make make);

  void tokenize(const Tokenizer* tokenizer) const;
  DataSpec spec() const { return layout_.spec(); }
  std::int64_t examples(Split split) const;
  Batch batch(Split split, std::span<const Example> examples) const;
  /// Of the first pairs of each split.
  std::string digest() const;

 private:
  SequencePair pair(Split split, std::int64_t index) const;
  std::string name_;
  std::int64_t seed_, validation_;
  PairLayout layout_;
  Make make_;
};

/// A dataset of generated pairs. Task: its Options, and pairs(options).
template <class Task>
class GeneratedDataset final : public Dataset {
 public:
  using Options = typename Task::Options;
  GeneratedDataset(const Options& o, const DatasetBuild&) : pairs_(Task::pairs(o)) {}

  void load() override {}
  void tokenize(const Tokenizer* tokenizer) override { pairs_.tokenize(tokenizer); }
  DataSpec spec(const Request&) const override { return pairs_.spec(); }
  std::int64_t examples(Split split, const Request&) const override {
    return pairs_.examples(split);
  }
  Batch batch(Split split, std::span<const Example> examples, const Request&) const override {
    return pairs_.batch(split, examples);
  }
  std::string digest() const override { return pairs_.digest(); }

 private:
  GeneratedPairs pairs_;
};

/// Sequences of symbols and what becomes of them: the options of `reverse`, `copy` and `sort`.
struct ASSAY_API SymbolTask {
  std::int64_t seed = 1, symbols = 10, length = 10, validation = 1000;
  std::optional<std::int64_t> shortest;
  static void describe(OptionList<SymbolTask>& o);

  /// name: of the dataset, in messages. change makes the target of a source.
  GeneratedPairs pairs(std::string name,
                       std::function<void(std::vector<std::int32_t>&)> change) const;
};

}  // namespace assay
