// `assay check`: a plan, and one real pass over one row of it, from which work and memory of a step
// follow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "experiment/build.h"
#include "experiment/execute.h"
#include "experiment/experiment.h"
#include "experiment/plan.h"

namespace assay {
namespace {

std::string earlier_note(const PlannedRun& run, bool force) {
  switch (find_earlier(run, {force})) {
    case Earlier::complete:
      return "is complete already; run would skip it, --force does it anew";
    case Earlier::unfinished:
      return "was stopped; run would continue it";
    case Earlier::nothing:
      return {};
  }
  return {};
}

// Everything a forward and backward pass does grows with the rows, so one row tells the rest.
void measure(const PlannedRun& run, int threads, RunCheck& check) {
  BuiltRun built(run.setup, run.material);
  Trainer& trainer = built.start();
  check.parameters = built.parameters().count();
  const double parameter_bytes = 4.0 * static_cast<double>(built.parameters().buffer_size());
  if (!run.setup.train) {
    check.memory_bytes = parameter_bytes;
    return;
  }
  const TrainOptions& o = *run.setup.train;
  const Example first{0, 0};
  const Random random(run.setup.seed, "check");
  const Batch row = built.objective().prepare(
      built.dataset().batch(Split::train, {&first, 1}, built.train_request()), random);
  AlignedFloats gradient(static_cast<std::size_t>(built.parameters().buffer_size()));
  const BatchSum sum = trainer.shards().gradient(row, random, gradient);
  check.flops_per_step = sum.flops * static_cast<double>(o.batch * o.accumulate);

  State optimizer_state;
  StateIo io = StateIo::saving(optimizer_state);
  built.optimizer()->state(io);
  double optimizer_bytes = 0;
  for (const auto& [name, array] : optimizer_state)
    if (const auto* floats = std::get_if<std::vector<float>>(&array.data))
      optimizer_bytes += 4.0 * static_cast<double>(floats->size());
  const double shards = static_cast<double>(o.resolved_shards());
  const double in_flight = std::min(static_cast<double>(threads), shards);
  const double rows = std::ceil(static_cast<double>(o.batch) / shards);
  const double tape = static_cast<double>(trainer.shards().tape_bytes());
  check.memory_bytes = parameter_bytes * (2 + in_flight + std::ceil(std::log2(shards))) +
                       optimizer_bytes + in_flight * rows * tape;
}

}  // namespace

std::vector<RunCheck> check_experiment(const ExperimentRequest& request) {
  Registry registry(default_plugin_path(request.plugins));
  Materials materials;
  const int threads = request.threads > 0 ? request.threads : available_cores();
  std::vector<RunCheck> checks;
  Pool(threads).run([&] {
    for (const PlannedRun& run : make_plan(request, registry, materials).runs) {
      RunCheck check;
      check.run = run.run;
      check.file = run.file.string();
      check.config = run.setup.config;
      for (const Expectation& expectation : run.setup.expectations)
        check.expects.push_back(expectation_text(expectation));
      check.probe = static_cast<bool>(run.setup.probe);
      if (!check.probe) {
        measure(run, threads, check);
        check.notes = run.material->notes;
      }
      if (const std::string note = earlier_note(run, request.force); !note.empty())
        check.notes.push_back(note);
      for (const std::string& remark : registry.remarks()) check.notes.push_back(remark);
      checks.push_back(std::move(check));
    }
  });
  return checks;
}

}  // namespace assay
