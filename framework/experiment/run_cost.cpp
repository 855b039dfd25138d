#include "experiment/run_cost.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <variant>

#include "config/yaml.h"

namespace assay {
namespace {

// Nothing where the file has none: "max", or no such file.
double bytes_in(const char* file) {
  std::ifstream in(file);
  double bytes = 0;
  return in >> bytes ? bytes : std::numeric_limits<double>::infinity();
}

double free_of_machine() {
  std::ifstream in("/proc/meminfo");
  std::string name, unit;
  for (double kilobytes = 0; in >> name >> kilobytes;) {
    if (name == "MemAvailable:") return 1024 * kilobytes;
    std::getline(in, unit);
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

double bytes_of(const State& state) {
  double bytes = 0;
  for (const auto& [name, array] : state)
    bytes += std::visit(
        [](const auto& items) { return static_cast<double>(items.size() * sizeof(*items.data())); },
        array.data);
  return bytes;
}

std::string what_costs(const RunSetup& setup) {
  Value config =
      setup.resolved.without("seed").without("name").without("samples").without("attention");
  for (const char* section : {"optimizer", "scheduler"})
    if (const Value* own = config.find(section)) config = config.with(section, *own->find("type"));
  return write_yaml(config);
}

void measure_row(const PlannedRun& run, int threads, BuiltRun& built, Trainer& trainer,
                 RunCost& cost) {
  const TrainOptions& o = *run.setup.train;
  const Example first{0, 0};
  const Random random(run.setup.seed, "check");
  const Batch row = built.objective().prepare(
      built.dataset().batch(Split::train, {&first, 1}, built.train_request()), random);
  AlignedFloats gradient(static_cast<std::size_t>(built.parameters().buffer_size()));
  const BatchSum sum = trainer.shards().gradient(row, random, gradient);
  cost.flops_per_step = sum.flops * static_cast<double>(o.batch * o.accumulate);

  State optimizer_state;
  StateIo io = StateIo::saving(optimizer_state);
  built.optimizer()->state(io);
  const double shards = static_cast<double>(o.resolved_shards());
  const double in_flight = std::min(static_cast<double>(threads), shards);
  const double rows = std::ceil(static_cast<double>(o.batch) / shards);
  const double tape = static_cast<double>(trainer.shards().tape_bytes());
  const double weights = 4.0 * static_cast<double>(built.parameters().buffer_size());
  cost.memory_bytes = weights * (2 + in_flight + std::ceil(std::log2(shards))) +
                      bytes_of(optimizer_state) + in_flight * rows * tape;
}

double MemoryNeeds::of(const PlannedRun& run) {
  if (run.setup.probe || !run.setup.train) return 0;
  const auto [need, fresh] = known_.try_emplace(what_costs(run.setup), 0);
  if (!fresh) return need->second;
  BuiltRun built(run.setup, run.material);
  RunCost cost;
  measure_row(run, threads_, built, built.start(), cost);
  need->second = cost.memory_bytes;
  return need->second;
}

double available_memory() {
  const double limit = bytes_in("/sys/fs/cgroup/memory.max");
  const double used = bytes_in("/sys/fs/cgroup/memory.current");
  const double of_group = std::isfinite(limit) && std::isfinite(used)
                              ? std::max(0.0, limit - used)
                              : std::numeric_limits<double>::infinity();
  return std::min(of_group, free_of_machine());
}

}  // namespace assay
