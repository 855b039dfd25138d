#include "experiment/probe.h"

#include <utility>

namespace assay {

void measure_into(RunRecord& record, const PlannedRun& run) {
  try {
    Measurements found;
    run.setup.probe.create({run.setup.seed})->measure(found);
    for (const auto& [name, value] : found.scalars) record.metrics[name] = {{0}, {value}};
    record.tables = std::move(found.tables);
    record.arrays = std::move(found.arrays);
  } catch (const std::exception& error) {
    record.status = RunStatus::failed;
    record.message = error.what();
  } catch (...) {
    record.status = RunStatus::failed;
    record.message = "a plugin threw something that is no std::exception";
  }
}

}  // namespace assay
