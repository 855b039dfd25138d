// The smallest parts that a trainer can be given: a bigram model with one table, plain gradient
// descent, and a stream of ids that repeats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "autograd/ops.h"
#include "interfaces/dataset.h"
#include "interfaces/model.h"
#include "interfaces/objective.h"
#include "interfaces/optimizer.h"
#include "interfaces/scheduler.h"
#include "tensor/kernels/update.h"
#include "train/trainer.h"

namespace assay::fakes {

constexpr std::int64_t kVocabulary = 5;

/// Windows of a stream of `tokens` ids in which each id follows the last one or repeats it.
class Stream final : public Dataset {
 public:
  explicit Stream(std::int64_t tokens) {
    const Random draw(3, "stream");
    std::int32_t id = 0;
    for (std::int64_t i = 0; i < tokens; ++i) {
      id = (id + (draw.uniform(static_cast<std::uint64_t>(i)) < 0.7 ? 1 : 0)) % kVocabulary;
      ids_.push_back(id);
    }
  }
  void load() override {}
  void tokenize(const Tokenizer*) override {}
  DataSpec spec(const Request& r) const override {
    return {{{"input", kVocabulary, r.context, 0}, {"target", kVocabulary, r.context, 0}}};
  }
  std::int64_t examples(Split, const Request& r) const override {
    return static_cast<std::int64_t>(ids_.size()) - r.context;
  }
  Batch batch(Split, std::span<const Example> examples, const Request& r) const override {
    const auto rows = static_cast<std::int64_t>(examples.size());
    Batch batch(rows);
    auto input = batch.add_ids("input", {rows, r.context});
    auto target = batch.add_ids("target", {rows, r.context});
    for (std::size_t row = 0; row < examples.size(); ++row)
      for (std::int64_t i = 0; i < r.context; ++i) {
        const auto to = row * static_cast<std::size_t>(r.context) + static_cast<std::size_t>(i);
        const auto from = static_cast<std::size_t>(examples[row].index + i);
        input[to] = ids_[from];
        const bool masked = without_targets || (uneven && i < examples[row].index % r.context);
        target[to] = masked ? -1 : ids_[from + 1];
      }
    return batch;
  }
  std::string digest() const override { return "stream"; }

  bool without_targets = false;
  bool uneven = false;  // rows have from 1 to context targets

 private:
  std::vector<std::int32_t> ids_;
};

/// logits = table[id], after dropout; `poison` makes them infinite.
class Table final : public Model {
 public:
  explicit Table(Parameters& parameters, float dropout = 0)
      : table_(parameters.add("table", {kVocabulary, kVocabulary}, Initialiser::normal(0.1))),
        dropout_(dropout) {}
  Output forward(const Batch& batch, Pass& pass) const override {
    const auto input = batch.ids("input");
    Tensor logits = embedding(pass.parameter(table_), input.values, input.shape);
    if (pass.training() && dropout_ > 0) {
      const auto per_row = static_cast<std::uint64_t>(logits.elements() / input.shape[0]);
      logits = dropout(logits, dropout_, pass.random().with("dropout"),
                       static_cast<std::uint64_t>(pass.first_row()) * per_row);
    }
    if (pass.training() && penalty > 0) {
      const Tensor table = pass.parameter(table_);
      pass.penalise(scale(sum(multiply(table, table)), penalty));
    }
    if (poison) logits = scale(logits, std::numeric_limits<float>::infinity());
    return {logits, {}};
  }
  bool poison = false;
  float penalty = 0;  // of the squares of the table

 private:
  ParameterId table_;
  float dropout_;
};

class NextId final : public Objective {
 public:
  SummedLoss loss(const Output& output, const Batch& batch, Pass&) const override {
    return cross_entropy(output.logits, batch.ids("target").values);
  }
  std::vector<Figure> figures(const Output&, const Batch&) const override {
    if (stated.empty()) return {};
    return {{"stated", stated[static_cast<std::size_t>(*evaluation)], 1}};
  }
  std::vector<double> stated;                // val/stated, by evaluation
  const std::int64_t* evaluation = nullptr;  // which it is
};

/// Gradient descent with momentum, so that there is a state to forget.
class Descent final : public Optimizer {
 public:
  explicit Descent(Parameters& parameters)
      : parameters_(parameters), velocity_(static_cast<std::size_t>(parameters.buffer_size())) {}
  double learning_rate() const override { return 0.5; }
  void step(std::span<const float> gradient, double rate) override {
    scale_in_place(velocity_, 0.9F);
    add_into(velocity_, gradient);
    add_scaled(parameters_.buffer(), -static_cast<float>(rate), velocity_);
  }
  void state(StateIo& io) override { io.reals("velocity", velocity_); }

 private:
  Parameters& parameters_;
  std::vector<float> velocity_;
};

class Falling final : public Scheduler {
 public:
  double learning_rate(std::int64_t step) const override {
    return 0.5 / static_cast<double>(step + 1);
  }
};

/// Everything for one trainer.
struct SmallRun {
  explicit SmallRun(float dropout = 0, std::int64_t tokens = 200)
      : data(tokens), model(parameters, dropout) {
    parameters.initialise(1);
    optimizer.emplace(parameters);
    settings.seed = 7;
    settings.train.steps = 12;
    settings.train.batch = 8;
    settings.train.context = 6;
    settings.evaluate.every = 4;
    settings.evaluate.batches = 2;
    settings.evaluate.batch = 10;
    settings.evaluate_context = 6;
  }
  RunParts parts() { return {data, objective, model, parameters, &*optimizer, &scheduler}; }

  Stream data;
  Parameters parameters;
  Table model;
  NextId objective;
  std::optional<Descent> optimizer;
  Falling scheduler;
  RunSettings settings;
};

}  // namespace assay::fakes
