#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/fingerprint.h"
#include "base/parallel.h"
#include "base/text.h"
#include "data/cover_stream.h"
#include "data/windows.h"
#include "results/trajectory.h"
#include "tensor/kernels/update.h"
#include "train/gradient.h"
#include "train/pace.h"

namespace assay {
namespace {

void append(RunRecord& record, const char* metric, std::int64_t step, double value) {
  Series& series = record.metrics[metric];
  series.steps.push_back(step);
  series.values.push_back(value);
}

[[noreturn]] void diverged(std::int64_t step, const std::string& what) {
  throw Error(
      ExitCode::failed,
      fmt::format(
          "step {}: {}; the weights are those before this update. A lower learning rate, a longer "
          "warm-up or train.clip may help",
          step, what));
}

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Keeper::~Keeper() = default;

Trainer::Trainer(const RunParts& parts, const RunSettings& settings)
    : parts_(parts),
      settings_(settings),
      train_request_{settings.train.context, parts.model.history()},
      shards_(parts.model, parts.objective, parts.parameters,
              static_cast<int>(settings.train.resolved_shards())),
      evaluation_(parts.dataset, parts.objective, settings.evaluate,
                  Request{settings.evaluate_context, parts.model.history()}) {
  if (parts.model.learns_by_counting()) train_request_.context = settings.evaluate_context;
  examples_ = parts.dataset.examples(Split::train, train_request_);
  // Of losses per next token, what can be compared between tokenizers. Of characters it is the
  // loss.
  const double ratio = parts.dataset.characters_per_token(Split::validation);
  if (parts.objective.needs_causal_model() && ratio != 1) characters_per_token_ = ratio;
  TrainOptions options = settings.train;
  if (parts.model.learns_by_counting()) {
    if (parts.model.readings() == 1) return;
    options.steps = parts.model.readings();
    options.batch =
        static_cast<std::int64_t>(parts.dataset.cover(Split::train, train_request_).size());
  }
  const Pace pace = training_pace(options, parts.dataset, train_request_);
  steps_ = pace.steps(options.steps);
  if (settings.evaluate.every) evaluate_every_ = pace.steps(*settings.evaluate.every);
  if (settings.digest_every) digest_every_ = pace.steps(*settings.digest_every);
}

// One list of what a checkpoint holds serves saving and restoring, so the two cannot drift.
template <class SomeCheckpoint, class MakeIo>
void Trainer::exchange(SomeCheckpoint& checkpoint, MakeIo make_io) const {
  StateIo weights = make_io(checkpoint.weights);
  parts_.parameters.state(weights);
  StateIo model = make_io(checkpoint.model);
  parts_.model.state(model);
  if (!parts_.optimizer) return;
  StateIo optimizer = make_io(checkpoint.optimizer);
  parts_.optimizer->state(optimizer);
}

void Trainer::restore(const RunRecord& record) {
  const auto final = record.checkpoints.find("final");
  if (final == record.checkpoints.end())
    throw Error(ExitCode::data, fmt::format("{}: no checkpoint to continue from", record.run));
  exchange(final->second, StateIo::restoring);
  step_ = final->second.step;
  const auto trajectory = record.trajectories.find(kWeightTrajectory);
  if (trajectory != record.trajectories.end() && !trajectory->second.steps.empty())
    noted_at_ = trajectory->second.steps.back();
  const auto series = record.metrics.find("val/loss");
  if (series == record.metrics.end()) return;
  const auto& values = series->second.values;
  if (values.empty()) return;
  evaluated_at_ = series->second.steps.back();
  validation_ = values.back();
  const auto best = record.checkpoints.find("best");
  if (best != record.checkpoints.end()) {
    best_checkpoint_ = best->second;
    best_step_ = best->second.step;
  }
  const auto watched = record.metrics.find(settings_.best);
  if (watched == record.metrics.end()) return;
  const Series& all = watched->second;
  for (std::size_t i = 0; i < all.steps.size(); ++i)
    if (all.steps[i] > 0 && std::isfinite(all.values[i]) && (!best_ || all.values[i] < *best_)) {
      best_ = all.values[i];
      if (all.steps[i] != step_) continue;
      best_step_ = step_;
      best_checkpoint_ = final->second;
    }
}

Checkpoint Trainer::checkpoint(const RunRecord& record) const {
  Checkpoint checkpoint;
  checkpoint.step = step_;
  exchange(checkpoint, StateIo::saving);
  StateIo counters = StateIo::saving(checkpoint.counters);
  std::int64_t updates = step_;
  counters.integer("updates", updates);
  std::int64_t best = best_step_;
  counters.integer("best", best);
  for (const auto& [metric, series] : record.metrics) {
    auto rows = static_cast<std::int64_t>(series.steps.size());
    counters.integer("rows/" + metric, rows);
  }
  return checkpoint;
}

void Trainer::store_checkpoints(RunRecord& record) const {
  Checkpoint final = checkpoint(record);
  record.checkpoints.erase("best");
  if (best_checkpoint_ && best_checkpoint_->step != final.step)
    record.checkpoints["best"] = *best_checkpoint_;
  record.checkpoints["final"] = std::move(final);
  record.steps = step_;
}

void Trainer::evaluate(RunRecord& record, const Watch& watch) {
  if (evaluated_at_ == step_) return;
  note_evaluation(record, evaluation_.run(shards_));
  evaluated_at_ = step_;
  if (watch.evaluated) watch.evaluated(record, step_);
}

void Trainer::note_evaluation(RunRecord& record, const BatchSum& sum) {
  if (sum.weight == 0) return;
  validation_ = sum.loss / sum.weight;
  append(record, "val/loss", step_, *validation_);
  for (const auto& [name, figure] : sum.figures)
    if (figure.weight > 0)
      append(record, ("val/" + name).c_str(), step_,
             figure.total ? figure.sum : figure.sum / figure.weight);
  if (characters_per_token_ > 0)
    append(record, "val/nats_per_character", step_, *validation_ / characters_per_token_);
  note_best(record);
}

// The untrained model is never the best one: a copy of it would only cost time.
void Trainer::note_best(const RunRecord& record) {
  const auto series = record.metrics.find(settings_.best);
  if (series == record.metrics.end()) {
    std::vector<std::string> known;
    for (const auto& [metric, rows] : record.metrics) known.push_back(metric);
    throw Error(ExitCode::usage,
                fmt::format("checkpoint.best: this run has no metric {}; it has {}",
                            quote(settings_.best), join(known)));
  }
  const double value = series->second.values.back();
  if (step_ == 0 || !std::isfinite(value) || (best_ && value >= *best_)) return;
  best_ = value;
  best_step_ = step_;
  best_checkpoint_ = checkpoint(record);
}

void Trainer::note_weights(RunRecord& record) {
  const std::int32_t count = parts_.parameters.size();
  if (noted_at_ == step_ || count == 0) return;
  noted_at_ = step_;
  Trajectory& trajectory = record.trajectories[kWeightTrajectory];
  trajectory.parameters.clear();
  for (const ParameterInfo& info : parts_.parameters.infos())
    trajectory.parameters.push_back(info.path);
  std::vector<std::int64_t> hashes(static_cast<std::size_t>(count));
  parallel_for(count, [&](std::int64_t i) {
    const auto values = std::as_const(parts_.parameters).values({static_cast<std::int32_t>(i)});
    hashes[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(fingerprint(values));
  });
  trajectory.steps.push_back(step_);
  trajectory.hashes.insert(trajectory.hashes.end(), hashes.begin(), hashes.end());
}

void Trainer::keep(RunRecord& record, Keeper& keeper) const {
  record.steps = step_;
  keeper.advanced(record);
  if (step_ == 0 || step_ == steps_ || !keeper.due(step_)) return;
  Checkpoint last = checkpoint(record);
  StateIo counters = StateIo::saving(last.counters);
  for (auto& [name, trajectory] : record.trajectories) trajectory_state(counters, trajectory);
  keeper.keep(record, last, best_checkpoint_ ? &*best_checkpoint_ : nullptr);
}

Reading Trainer::read_split() const {
  CoverStream stream(parts_.dataset, Split::train, train_request_);
  return parts_.model.fit(stream);
}

void Trainer::count(RunRecord& record) {
  const Reading reading = read_split();
  if (reading.weight > 0) {
    last_loss_ = reading.loss / reading.weight;
    append(record, "train/loss", step_, last_loss_);
    trained_targets_ += reading.weight;
  }
  ++step_;
  if (reading.last) steps_ = step_;
}

BatchSum Trainer::accumulate_gradient(const Random& random) {
  const TrainOptions& o = settings_.train;
  const auto examples = training_examples(o.order == "shuffled", examples_, settings_.seed, step_,
                                          o.batch * o.accumulate);
  BatchSum total;
  for (std::int64_t micro = 0; micro < o.accumulate; ++micro) {
    const auto rows = std::span(examples).subspan(static_cast<std::size_t>(micro * o.batch),
                                                  static_cast<std::size_t>(o.batch));
    const Random part = o.accumulate == 1 ? random : random.with(std::to_string(micro));
    const Batch batch =
        parts_.objective.prepare(parts_.dataset.batch(Split::train, rows, train_request_), part);
    total += shards_.gradient(batch, part, micro == 0 ? gradient_ : micro_gradient_);
    if (micro > 0) add_into(gradient_, micro_gradient_);
  }
  return total;
}

void Trainer::update(RunRecord& record) {
  const BatchSum sum =
      accumulate_gradient(Random(settings_.seed, "step", static_cast<std::uint64_t>(step_)));
  const double rate = parts_.scheduler->learning_rate(step_);
  if (sum.weight > 0) {
    last_loss_ = sum.loss / sum.weight;
    if (!std::isfinite(last_loss_))
      diverged(step_, fmt::format("the training loss is {}", unsigned_nan(last_loss_)));
    const double norm = mean_and_clip(gradient_, sum.weight, settings_.train.clip);
    if (!std::isfinite(norm)) diverged(step_, first_not_finite(parts_.parameters, gradient_));
    parts_.optimizer->step(gradient_, rate);
    append(record, "train/loss", step_, last_loss_);
    if (sum.penalty) append(record, "train/penalty", step_, *sum.penalty / sum.weight);
    append(record, "train/gradient_norm", step_, norm);
  }
  append(record, "train/learning_rate", step_, rate);
  trained_targets_ += sum.weight;
  ++step_;
}

void Trainer::train(RunRecord& record, const Watch& watch) {
  const bool counts = parts_.model.learns_by_counting();
  if (!counts) gradient_.resize(static_cast<std::size_t>(parts_.parameters.buffer_size()));
  if (settings_.train.accumulate > 1) micro_gradient_.resize(gradient_.size());
  const std::int64_t start = step_;
  double training_seconds = 0;
  while (true) {
    const bool due =
        step_ == 0 || step_ == steps_ || (evaluate_every_ > 0 && step_ % evaluate_every_ == 0);
    if (due) evaluate(record, watch);
    if (due || (digest_every_ > 0 && step_ % digest_every_ == 0)) note_weights(record);
    if (watch.keeper) keep(record, *watch.keeper);
    if (watch.progress && step_ > start) {
      const double rate = training_seconds / static_cast<double>(step_ - start);
      watch.progress({step_, steps_, last_loss_, validation_, trained_targets_ / training_seconds,
                      rate * static_cast<double>(steps_ - step_)});
    }
    if (step_ == steps_) return;
    if (watch.stop && watch.stop()) {
      record.status = RunStatus::stopped;
      record.message = fmt::format("stopped after {} of {} steps", step_, steps_);
      return;
    }
    const Clock clock;
    counts ? count(record) : update(record);
    training_seconds += clock.seconds();
  }
}

void Trainer::run(RunRecord& record, const Watch& watch) {
  record.status = RunStatus::done;
  record.message.clear();
  try {
    if (steps_ == 0) {
      read_split();
      evaluate(record, watch);
    } else {
      train(record, watch);
    }
  } catch (...) {
    store_checkpoints(record);
    throw;
  }
  store_checkpoints(record);
}

}  // namespace assay
