#include "experiment/packed_runs.h"

#include "io/lock_file.h"
#include "results/live_files.h"
#include "results/pack_edit.h"
#include "results/run_file.h"
#include "results/run_path.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Whether the run has a file of its own that counts: not one that a kill left after the run went
// into its pack.
bool stands_alone(const PlannedRun& run) {
  if (!fs::exists(run.file)) return false;
  const RunRecord own = read_run(run.file, false);
  return own.status == RunStatus::done || own.config_hash != run.setup.config_hash;
}

}  // namespace

void PackedRuns::add(const std::vector<PlannedRun>& runs) {
  for (const PlannedRun& run : runs) {
    const fs::path folder = run.file.parent_path();
    if (run.setup.results.pack > 1 && sweep_ && !writers_.contains(folder))
      writers_[folder] = std::make_unique<PackWriter>(folder, run.setup.results.pack);
    if (found_.contains(folder)) continue;
    auto& found = found_[folder];
    for (const fs::path& pack : packs_in(folder))
      for (RunRecord& record : read_runs(pack, false)) {
        if (record.status != RunStatus::done) continue;
        const std::string path = run_path(pack, record.run), hash = record.config_hash;
        found[hash] = {path, std::move(record)};
      }
  }
}

const PackedRuns::Found* PackedRuns::find(const PlannedRun& run) const {
  const auto& found = found_.at(run.file.parent_path());
  const auto at = found.find(run.setup.config_hash);
  if (at == found.end() || stands_alone(run)) return nullptr;
  if (fs::exists(run.file)) {
    const LockFile lock(lock_of(run.file));
    remove_run_files(run.file);
  }
  remove_leftovers_of(run.file);
  return &at->second;
}

PackWriter* PackedRuns::writer_of(const PlannedRun& run) const {
  const auto writer = writers_.find(run.file.parent_path());
  return writer == writers_.end() ? nullptr : writer->second.get();
}

void PackedRuns::replaced(const std::string& path) {
  const RunPath at = split_run_path(path);
  replaced_[at.file].insert(at.run);
}

std::vector<std::string> PackedRuns::close() {
  std::vector<std::string> problems;
  for (const auto& [folder, writer] : writers_)
    for (std::string& problem : writer->close()) problems.push_back(std::move(problem));
  for (const auto& [pack, runs] : replaced_) {
    try {
      remove_from_pack(pack, runs);
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  }
  return problems;
}

}  // namespace assay
