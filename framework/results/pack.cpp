#include "results/pack.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "results/loading.h"
#include "results/open_pack.h"
#include "results/run_file.h"
#include "results/run_path.h"
#include "results/run_summary.h"
#include "results/saving.h"
#include "results/trailer.h"

namespace assay {

namespace {

std::string group_of(const std::string& run) {
  return fmt::format("{}/{}", kRuns, encode_name(run));
}

}  // namespace

std::string place_in_pack(const std::string& run) {
  return group_of(run) + "/";
}

void write_pack(const std::filesystem::path& file, std::span<const RunRecord> runs,
                IfExists if_exists) {
  Saving saving;
  Facts names;
  for (const RunRecord& run : runs) names.emplace_back(kRuns, run.run);
  saving.save_index("", names);
  // The links to all runs first: a file that is cut short loses those behind the cut, not all.
  std::vector<std::string> groups;
  for (const RunRecord& run : runs) groups.push_back(group_of(run.run));
  saving.make_groups(groups);
  for (const RunRecord& run : runs)
    saving.save(place_in_pack(run.run), [&](auto& io) { run_layout(io, run); });
  publish_image(file, saving.finish(), summary_block_of_pack(runs), kPackLayout, if_exists);
}

bool is_pack(std::string_view sealed) {
  return sealed_layout(sealed) == kPackLayout;
}

bool is_pack_file(const std::filesystem::path& file) {
  return is_open_pack(file) || layout_of_file(file) == kPackLayout;
}

std::vector<RunRecord> runs_of_pack(const std::string& file, std::string_view sealed,
                                    bool with_checkpoints, const std::string& only) {
  ImageReader reader(file, unseal(file, sealed, kPackLayout));
  const Names index = Loading(reader, kPackLayout, "", false).index();
  const auto found = index.find(kRuns);
  const std::vector<std::string> names =
      found == index.end() ? std::vector<std::string>() : found->second;
  std::vector<RunRecord> runs;
  for (const std::string& name : names) {
    if (!only.empty() && name != only) continue;
    Loading loading(reader, kLayout, place_in_pack(name), with_checkpoints);
    run_layout(loading, runs.emplace_back());
  }
  if (runs.empty() && !only.empty()) refuse_run(file, only, names);
  return runs;
}

void refuse_run(const std::string& file, const std::string& run,
                const std::vector<std::string>& names) {
  if (run.empty())
    throw Error(
        ExitCode::data,
        fmt::format("{}: holds {} runs: name one, as {}; `assay ls {}` lists them", file,
                    names.size(), run_path(file, names.empty() ? "RUN" : names.front()), file));
  std::string message = fmt::format("{}: holds no run {}", file, quote(run));
  if (const auto near = near_match(run, names))
    message += fmt::format("; did you mean {}?", *near);
  else
    message += fmt::format("; `assay ls {}` lists its {}", file, names.size());
  throw Error(ExitCode::data, message);
}

}  // namespace assay
