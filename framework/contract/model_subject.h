// A model under test with the batch it is tested on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "autograd/tape.h"
#include "contract/support.h"
#include "nn/parameters.h"
#include "nn/pass.h"

namespace assay {

constexpr std::int64_t kModelRows = 4, kModelContext = 6, kModelVocabulary = 11;

/// Rows of ids and what follows them, each with a source for models that read one.
struct ModelSample {
  std::vector<std::int32_t> input, target, history;  // [B, N], [B, N], [B, history]
  std::vector<std::int32_t> source;                  // [B, N]
  bool per_row = false;                              // batches have "target" [B]

  ModelSample(std::int64_t history_length, std::uint64_t seed);
  /// All rows and positions, or the first of each.
  Batch batch(std::int64_t rows = kModelRows, std::int64_t length = kModelContext) const;
};

/// One model on parameters of its own; counting models are fitted to a sample. A model that refuses
/// a target per position is tested with one per row.
struct ModelSubject {
  explicit ModelSubject(const Make<Model>& make);

  /// What the model reads, with the history that it asks for.
  ModelSample sample(std::uint64_t seed) const;
  /// Logits of all rows and positions, in evaluation.
  std::vector<float> logits(const Batch& batch, KeyValueCache* cache = nullptr) const;

  DataSpec data;
  Parameters parameters;
  std::unique_ptr<Model> model;
};

/// The training split of counting models: one batch.
class OneBatch final : public BatchStream {
 public:
  explicit OneBatch(Batch batch) : batch_(std::move(batch)) {}
  void rewind() override { given_ = false; }
  std::optional<Batch> next() override {
    if (given_) return std::nullopt;
    given_ = true;
    return batch_;
  }

 private:
  Batch batch_;
  bool given_ = false;
};

void check_gradients(const Make<Model>& make, Failures& failures);
void check_gradient_threads(const Make<Model>& make, Failures& failures);
void check_counting(const Make<Model>& make, Failures& failures);

}  // namespace assay
