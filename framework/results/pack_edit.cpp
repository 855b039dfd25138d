#include "results/pack_edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "io/lock_file.h"
#include "results/live_files.h"
#include "results/open_pack.h"
#include "results/pack.h"
#include "results/run_file.h"
#include "results/run_path.h"
#include "results/trash.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// REQUIRES the pack's lock.
void write_without(const fs::path& pack, std::vector<RunRecord> all,
                   const std::set<std::string>& runs) {
  std::erase_if(all, [&](const RunRecord& run) { return runs.contains(run.run); });
  if (!all.empty()) return write_pack(pack, all);
  std::error_code error;
  fs::remove(pack, error);
  if (error)
    throw Error(ExitCode::data,
                fmt::format("{}: cannot be removed: {}", pack.string(), error.message()));
}

}  // namespace

void remove_from_pack(const fs::path& pack, const std::set<std::string>& runs) {
  settle_pack(pack);
  const LockFile lock(lock_of(pack));
  write_without(pack, read_runs(pack), runs);
}

fs::path taken_out(const fs::path& path) {
  const RunPath at = split_run_path(path);
  if (!is_pack_file(at.file)) return at.file;
  settle_pack(at.file);
  const LockFile lock(lock_of(at.file));
  const RunRecord run = read_run(path);
  const fs::path own = own_file(path, run.run);
  write_run(own, run, IfExists::refuse);
  write_without(at.file, read_runs(at.file), {run.run});
  return own;
}

std::vector<fs::path> unpack(const fs::path& path, const fs::path& folder) {
  const std::vector<RunRecord> runs = read_runs(path);
  std::vector<fs::path> files;
  for (const RunRecord& run : runs) {
    files.push_back(folder / own_file(path, run.run).filename());
    if (fs::exists(files.back()))
      throw Error(ExitCode::data, fmt::format("{}: exists already, so nothing is unpacked; choose "
                                              "another folder with --out",
                                              files.back().string()));
  }
  for (std::size_t i = 0; i < runs.size(); ++i) write_run(files[i], runs[i], IfExists::refuse);
  return files;
}

void discard_from_pack(const fs::path& pack, const std::set<std::string>& runs) {
  settle_pack(pack);
  const LockFile lock(lock_of(pack));
  const std::vector<RunRecord> all = read_runs(pack);
  for (const RunRecord& run : all)
    if (runs.contains(run.run))
      write_run(new_trash_file(own_file(pack, run.run)), run, IfExists::refuse);
  write_without(pack, all, runs);
}

}  // namespace assay
