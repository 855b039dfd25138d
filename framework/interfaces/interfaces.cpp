// What the plugin kinds do unless a plugin says otherwise.
#include <algorithm>
#include <limits>
#include <numeric>

#include "interfaces/dataset.h"
#include "interfaces/model.h"
#include "interfaces/objective.h"
#include "interfaces/optimizer.h"
#include "interfaces/probe.h"
#include "interfaces/pruner.h"
#include "interfaces/sampler.h"
#include "interfaces/scheduler.h"
#include "interfaces/search.h"
#include "interfaces/tokenizer.h"

namespace assay {

std::string_view name(Split split) {
  return split == Split::train ? "train" : "validation";
}

Dataset::~Dataset() = default;
std::optional<std::string_view> Dataset::text(Split) const {
  return std::nullopt;
}
std::vector<Example> Dataset::cover(Split split, const Request& request) const {
  std::vector<Example> all(static_cast<std::size_t>(examples(split, request)));
  for (std::size_t i = 0; i < all.size(); ++i) all[i].index = static_cast<std::int64_t>(i);
  return all;
}
std::vector<std::pair<std::string, std::string>> Dataset::facts() const {
  return {};
}
std::vector<std::string> Dataset::notes() const {
  return {};
}
double Dataset::characters_per_token(Split) const {
  return 0;
}
std::optional<Limit> Dataset::limit(const Request&) const {
  return std::nullopt;
}

Tokenizer::~Tokenizer() = default;
std::int32_t Tokenizer::special(std::string_view) const {
  return -1;
}
bool Tokenizer::takes_any_bytes() const {
  return false;
}
std::vector<std::string> Tokenizer::notes() const {
  return {};
}

BatchStream::~BatchStream() = default;
Model::~Model() = default;
std::int64_t Model::history() const {
  return 0;
}
bool Model::learns_by_counting() const {
  return false;
}
Reading Model::fit(BatchStream&) {
  return {};
}
std::int64_t Model::readings() const {
  return 1;
}
std::int64_t Model::reach() const {
  return -1;
}
void Model::state(StateIo&) {}
std::int64_t Model::longest_input() const {
  return -1;
}
bool Model::caches() const {
  return false;
}
bool Model::causal() const {
  return true;
}

Objective::~Objective() = default;
bool Objective::needs_causal_model() const {
  return false;
}
Batch Objective::prepare(Batch batch, const Random&) const {
  return batch;
}
std::vector<Objective::Figure> Objective::figures(const Output&, const Batch&) const {
  return {};
}
Objective::Figure accuracy_of(Tensor logits, std::span<const std::int32_t> targets) {
  const auto classes = static_cast<std::size_t>(logits.shape()[-1]);
  Objective::Figure accuracy{"accuracy"};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] < 0) continue;
    accuracy.sum += is_most_likely(targets[i], logits.values().subspan(i * classes, classes));
    accuracy.weight += 1;
  }
  return accuracy;
}
bool is_most_likely(std::int32_t target, std::span<const float> logits) {
  const auto at = static_cast<std::size_t>(target);
  if (at >= logits.size()) return false;
  // Both comparisons are false of NaN.
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (!(i < at ? logits[at] > logits[i] : logits[at] >= logits[i])) return false;
  return true;
}

Optimizer::~Optimizer() = default;
std::vector<std::string> Optimizer::decayed() const {
  return {};
}

Probe::~Probe() = default;
bool Probe::measures_time() const {
  return false;
}

Pruner::~Pruner() = default;
double PrunerRun::at(std::int64_t step) const {
  double last = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < steps.size() && steps[i] <= step; ++i) last = values[i];
  return last;
}

std::vector<double> Rung::values() const {
  std::vector<double> values;
  for (const auto runs : {running, earlier})
    for (const PrunerRun& run : runs)
      if (run.reached(step)) values.push_back(run.at(step));
  std::sort(values.begin(), values.end());
  return values;
}
std::vector<bool> Rung::up_to(double value) const {
  std::vector<bool> up_to;
  for (const PrunerRun& run : running) up_to.push_back(run.at(step) <= value);
  return up_to;
}
std::vector<std::int64_t> growing_rungs(std::int64_t first, double factor, std::int64_t steps) {
  std::vector<std::int64_t> rungs;
  for (double next = static_cast<double>(first); next < static_cast<double>(steps);
       next *= factor) {
    const auto step = static_cast<std::int64_t>(next);
    if (rungs.empty() || step > rungs.back()) rungs.push_back(step);
  }
  return rungs;
}
double last_of_best(std::span<const double> sorted, double one_in) {
  const auto kept = static_cast<std::size_t>(static_cast<double>(sorted.size()) / one_in);
  return sorted[std::max<std::size_t>(kept, 1) - 1];
}

Search::~Search() = default;
std::vector<std::size_t> best_first(std::span<const SearchTrial> trials) {
  std::vector<std::size_t> order(trials.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return trials[a].value < trials[b].value; });
  return order;
}
Scheduler::~Scheduler() = default;
Sampler::~Sampler() = default;
std::optional<BeamSettings> Sampler::beam() const {
  return std::nullopt;
}

}  // namespace assay
