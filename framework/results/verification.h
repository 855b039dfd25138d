// Whether result files are what was written, and whole.
//
//   const Verification found = verify("results/gpt/seed=1.h5");
//   if (!found.sound) ... found.what        // "is damaged: its SHA-256 is not ..."
//
// Looked at: the SHA-256 of the whole file, then every dataset that the layout and the index name,
// the digest of the final weights; of a run that is not over also its journal and its checkpoints.
// Nothing is changed.
#pragma once

#include <filesystem>
#include <string>

#include "base/api.h"

namespace assay {

struct Verification {
  std::string file;
  bool sound = false;
  std::string what;  // "done, 900 steps, 3 metrics, 1.2 MB"; or everything that is wrong
};
ASSAY_API Verification verify(const std::filesystem::path& path);

}  // namespace assay
