// How one names a run: "results/gpt/seed=1.h5", or, where a file holds several,
// "results/gpt/pack-0001.h5::seed=1".
#pragma once

#include <filesystem>
#include <string>

#include "base/api.h"

namespace assay {

struct RunPath {
  std::filesystem::path file;
  std::string run;  // empty: the only one, or all
};

ASSAY_API RunPath split_run_path(const std::filesystem::path& path);
/// "results/gpt/seed=1.h5": the file that the run would have of its own, beside its pack.
ASSAY_API std::filesystem::path own_file(const std::filesystem::path& path, const std::string& run);
ASSAY_API std::string run_path(const std::filesystem::path& file, const std::string& run);

}  // namespace assay
