// The training loop, given built objects: it knows neither plugins nor files.
//
//   Trainer trainer(parts, {.seed = 1, .train = options, .evaluate = evaluate});
//   trainer.run(record, watch);          // fills metrics, checkpoints, status; throws
//   Error(failed) for a run that diverges
//
// Training metrics are keyed by the update they belong to (0, 1, ...), evaluations by the number of
// completed updates, always at 0 and at the end. One thread calls; the work spreads over the pool
// it is called in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/api.h"
#include "interfaces/dataset.h"
#include "interfaces/model.h"
#include "interfaces/objective.h"
#include "interfaces/optimizer.h"
#include "interfaces/scheduler.h"
#include "results/record.h"
#include "train/evaluation.h"
#include "train/options.h"
#include "train/progress.h"
#include "train/shards.h"

namespace assay {

/// What a run is made of; all outlive the trainer. optimizer and scheduler are null for models that
/// count.
struct RunParts {
  const Dataset& dataset;
  const Objective& objective;
  Model& model;
  Parameters& parameters;
  Optimizer* optimizer = nullptr;
  const Scheduler* scheduler = nullptr;
};

struct RunSettings {
  std::uint64_t seed = 0;
  TrainOptions train;  // not used by models that count
  EvaluateOptions evaluate;
  std::int64_t evaluate_context = 0;
  std::string best = "val/loss";         // metric whose lowest value makes the checkpoint "best"
  std::optional<Duration> digest_every;  // between hashes of the weights, beside evaluations
};

class ASSAY_API Trainer {
 public:
  /// Throws Error(data) now if a split has no example.
  Trainer(const RunParts& parts, const RunSettings& settings);

  /// Continues a stopped run of the same configuration from the checkpoint "final" of its record,
  /// whose metrics end there.
  void restore(const RunRecord& record);
  /// Trains to the end, or until watch.stop says so (status stopped). Metrics are appended to
  /// record, the checkpoints "final" and (where it differs) "best" are stored in it. Throws
  /// Error(failed) with step and parameter if the loss or a gradient is not finite: weights are
  /// then those before that update, and "final" holds them.
  void run(RunRecord& record, const Watch& watch);

  Shards& shards() { return shards_; }
  /// Updates of the whole run, or readings of a model that counts: as many at most, and 0 if one is
  /// enough.
  std::int64_t steps() const { return steps_; }

 private:
  Reading read_split() const;
  void count(RunRecord& record);
  void train(RunRecord& record, const Watch& watch);
  BatchSum accumulate_gradient(const Random& random);
  void update(RunRecord& record);
  void evaluate(RunRecord& record, const Watch& watch);
  void note_evaluation(RunRecord& record, const BatchSum& sum);
  void note_best(const RunRecord& record);
  void note_weights(RunRecord& record);
  void keep(RunRecord& record, Keeper& keeper) const;
  Checkpoint checkpoint(const RunRecord& record) const;
  template <class SomeCheckpoint, class MakeIo>
  void exchange(SomeCheckpoint& checkpoint, MakeIo make_io) const;
  void store_checkpoints(RunRecord& record) const;

  RunParts parts_;
  RunSettings settings_;
  Request train_request_;
  double characters_per_token_ = 0;  // of the validation split; 0: of no account
  std::int64_t examples_ = 0;
  std::int64_t steps_ = 0;           // of the whole run
  std::int64_t evaluate_every_ = 0;  // 0: at the start and at the end only
  std::int64_t digest_every_ = 0;    // 0: with evaluations only
  Shards shards_;
  Evaluation evaluation_;
  AlignedFloats gradient_, micro_gradient_;
  std::int64_t step_ = 0;           // completed updates
  std::int64_t evaluated_at_ = -1;  // updates completed at the last evaluation
  std::int64_t noted_at_ = -1;      // and when the weights were hashed last
  std::optional<double> validation_, best_;
  std::int64_t best_step_ = -1;
  double last_loss_ = 0;
  double trained_targets_ = 0;  // since run() was called, for the rate
  std::optional<Checkpoint> best_checkpoint_;
};

}  // namespace assay
