// Plugin kind `dataset`: examples in named splits, read by index, so that the order in which a run uses them is the
// framework's business (and reproducible). Errors: Error(data) for files and their contents, naming file and offset.
//
//   dataset->load();                                      // files, corpora, generation
//   dataset->tokenize(&tokenizer);                        // ids in place of text
//   auto n = dataset->examples(Split::train, request);    // text: tokens - context windows
//   Batch batch = dataset->batch(Split::train, windows, request);
//
// Threads: load and tokenize run alone, once; everything const may be called from many threads at once.
// Ownership: the framework's; runs of a sweep share one dataset. A Batch owns its numbers; text() lives with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "config/options.h"
#include "interfaces/batch.h"
#include "interfaces/tokenizer.h"

namespace assay {

enum class Split { train, validation };
ASSAY_API std::string_view name(Split split);

struct DatasetBuild {
  std::filesystem::path folder;  // of the experiment file: relative paths start here
};

/// How a model wants its examples.
struct Request {
  std::int64_t context = 0;  // N: positions per window (where examples are windows of a stream)
  std::int64_t history = 0;  // ids before the window, for models that count
};

/// One example and how many of its first targets are not to be counted (marked ignored): only what
/// cover() names skips any.
struct Example {
  std::int64_t index = 0;
  std::int64_t skip = 0;
};

/// The least loss that any model can reach, where the source is known.
struct Limit {
  double nats_per_token = 0;
  std::string meaning;  // "entropy of the source given the window (context 64)"
};

class ASSAY_API Dataset {
 public:
  static constexpr const char* kKind = "dataset";
  using Build = DatasetBuild;
  virtual ~Dataset();

  virtual void load() = 0;
  /// Text that tokenizers learn from and encode; nothing if the dataset speaks ids or numbers itself.
  virtual std::optional<std::string_view> text(Split split) const;
  /// tokenizer is null if the experiment has none; throws Error(usage) if one is needed, or is not.
  virtual void tokenize(const Tokenizer* tokenizer) = 0;

  virtual DataSpec spec(const Request& request) const = 0;
  /// Throws Error(data) naming file, tokens and context if there is not one.
  virtual std::int64_t examples(Split split, const Request& request) const = 0;
  virtual Batch batch(Split split, std::span<const Example> examples, const Request& request) const = 0;
  /// Examples that count every target of the split once (`windows: all`). Default: each example, nothing skipped.
  virtual std::vector<Example> cover(Split split, const Request& request) const;

  /// SHA-256 (hex) of what was loaded: the identity of the data in a result file.
  virtual std::string digest() const = 0;
  /// Facts worth recording and showing: "characters" -> "1115394".
  virtual std::vector<std::pair<std::string, std::string>> facts() const;
  /// What the user should know before the first step: "12 of 3,000 validation tokens are unknown".
  virtual std::vector<std::string> notes() const;
  /// How many characters a token of the split stands for, on average; 0: not known, or no text.
  virtual double characters_per_token(Split split) const;
  virtual std::optional<Limit> limit(const Request& request) const;
};

}  // namespace assay
