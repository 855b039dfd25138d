// Plugin kind `model`: from a batch to logits.
//
//   Gpt(const Options& o, const ModelBuild& b)
//       : head_(b.scope / "head", o.width, b.data.field("target").vocabulary) {}
//   Output forward(const Batch& batch, Pass& pass) const override { return {head_(..., pass)}; }
//
// A model learns by gradients (it has parameters), or by counting (fit sees the training split, and forward returns
// log-probabilities as logits). Ownership: parameters are the run's (a model keeps their ids), tensors the pass's.
// Threads: forward is const and re-entrant: many shards call it at once, each with its own pass. fit runs alone.
// Errors: Error(usage) for options that the data rule out, thrown by the constructor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/api.h"
#include "base/state.h"
#include "config/options.h"
#include "interfaces/batch.h"
#include "nn/parameters.h"
#include "nn/pass.h"

namespace assay {

struct ModelBuild {
  const DataSpec& data;       // fields of the batches: vocabulary, length, width
  std::int64_t context = 0;   // positions per row that the model must be able to take
  Scope scope;                // where its parameters go
  std::uint64_t seed = 1;     // of the run, for models that count from a random start
};

struct Output {
  Tensor logits;  // [B, N, K], or [B, K] for one answer per row
  Tensor hidden;  // [B, N, D] before the output layer, where the model offers it
};

/// The training split as batches, for models that count: each target once, with its history.
class ASSAY_API BatchStream {
 public:
  virtual ~BatchStream();
  virtual void rewind() = 0;
  /// The next batch, or nothing at the end.
  virtual std::optional<Batch> next() = 0;
};

/// One reading of the training split by a model that counts.
struct Reading {
  double loss = 0, weight = 0;  // summed, under what was known before it; weight 0: not told
  bool last = true;             // another would change nothing
};

class ASSAY_API Model {
 public:
  static constexpr const char* kKind = "model";
  using Build = ModelBuild;
  virtual ~Model();

  virtual Output forward(const Batch& batch, Pass& pass) const = 0;

  /// Ids before the window that the model uses (Batch "history"). 0: none.
  virtual std::int64_t history() const;
  virtual bool learns_by_counting() const;
  /// Reads the training split once. Called until it says that it was the last reading, at most readings() times.
  /// REQUIRES the state of the model to be that after the reading before.
  virtual Reading fit(BatchStream& train);
  /// 1: what counting yields is there at once. More: each is a step of the run, with its metrics.
  virtual std::int64_t readings() const;
  /// How many of the last ids decide about the next one, for generators. Default: all (-1).
  virtual std::int64_t reach() const;
  /// What it must keep that is not in its parameters (counts).
  virtual void state(StateIo& io);
  /// Longest input of forward; a generator slides its window beyond. Default: no limit (-1).
  virtual std::int64_t longest_input() const;
  /// forward honours pass.cache, so that text can be generated one position at a time.
  virtual bool caches() const;
  /// The logits of a position depend on nothing after it. An encoder, or anything else that looks both ways, says
  /// false: no text is generated from it, and it is not trained on what follows. Default: true.
  virtual bool causal() const;
};

}  // namespace assay
