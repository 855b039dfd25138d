// What an experiment has to do with packs (results/open_pack.h): which of its runs stand in one
// already, and where those go that are done now.
//
//   PackedRuns packed(true);
//   packed.add(plan.runs);                                // settles what a kill left
//   if (auto* found = packed.find(run)) ...               // complete, in a pack
//   options.packs = packed.writer_of(run);                // null: it gets a file of its own
//   for (const std::string& problem : packed.close()) ... // after the last run
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "experiment/plan.h"
#include "results/open_pack.h"
#include "results/record.h"

namespace assay {

class PackedRuns {
 public:
  /// sweep: finished runs may go into packs; those of one run never do.
  explicit PackedRuns(bool sweep) : sweep_(sweep) {}
  /// Looks at the folders of more runs.
  void add(const std::vector<PlannedRun>& runs);

  struct Found {
    std::string path;  // "results/gpt/pack-0001.h5::seed=1"
    RunRecord record;  // without checkpoints
  };
  /// Null if it stands in none, or in a file of its own that is complete too.
  const Found* find(const PlannedRun& run) const;
  PackWriter* writer_of(const PlannedRun& run) const;

  /// After a run was done anew: what its pack holds of it goes when all runs are over.
  void replaced(const std::string& path);
  /// Gives what went wrong.
  std::vector<std::string> close();

 private:
  bool sweep_;
  std::map<std::filesystem::path, std::unique_ptr<PackWriter>> writers_;  // by folder
  std::map<std::filesystem::path, std::map<std::string, Found>> found_;   // by config_hash
  std::map<std::filesystem::path, std::set<std::string>> replaced_;       // by pack
};

}  // namespace assay
