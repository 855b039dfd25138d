// Many result files at once: what compare, ls and export are asked about.
//
//   RunSet set = load_runs({"results/gpt", "old.h5"});
//   for (const std::string& problem : set.problems) ...   // "old.h5: is damaged: ..."
//   RunSubject subject(set.runs[0]);                       // for expressions
//
// A folder stands for all result files below it, in the order of their names; hidden files and
// folders are passed over. A file that cannot be read is one problem; the others are there.
#pragma once

#include <string>
#include <vector>

#include "base/api.h"
#include "config/value.h"
#include "results/expression.h"
#include "results/record.h"

namespace assay {

struct LoadedRun {
  std::string file;          // as one opens it
  std::size_t argument = 0;  // which of the paths given it is from
  RunRecord record;          // without checkpoints
  Value config;
};

struct RunSet {
  std::vector<LoadedRun> runs;
  std::vector<std::string> problems;  // one line for each path that could not be read
};

struct FoundFile {
  std::string file;
  std::size_t argument = 0;
};
/// The result files that the paths stand for. A path that does not exist is a problem.
ASSAY_API std::vector<FoundFile> find_results(const std::vector<std::string>& paths,
                                              std::vector<std::string>& problems);
ASSAY_API RunSet load_runs(const std::vector<std::string>& paths);
/// The same from the summaries alone (run_summary.h).
ASSAY_API RunSet load_summaries(const std::vector<std::string>& paths);

/// Every value of a configuration by its dotted path, as text, in the order written; lists as one
/// value.
ASSAY_API Facts flattened(const Value& config);

/// What a configuration has at a dotted path, as expressions see it; a list or map is text.
ASSAY_API Outcome config_value(const Value& config, const std::string& path);

/// Facts that every run has a name for, beside its metrics and its configuration.
ASSAY_API std::vector<std::string> fact_names();

/// A run as expressions see it. The run must outlive it.
class ASSAY_API RunSubject final : public Subject {
 public:
  explicit RunSubject(const LoadedRun& run) : run_(&run) {}
  Outcome value(const std::string& name) const override;
  std::optional<double> measure(const Measure& measure, const std::string& metric) const override;

 private:
  const LoadedRun* run_;
};

/// Several runs as one: numbers are means over those runs that are done and have a finite one;
/// texts are what all have in common, else missing.
class ASSAY_API GroupSubject final : public Subject {
 public:
  explicit GroupSubject(std::vector<const LoadedRun*> runs) : runs_(std::move(runs)) {}
  Outcome value(const std::string& name) const override;
  std::optional<double> measure(const Measure& measure, const std::string& metric) const override;

 private:
  std::vector<const LoadedRun*> runs_;
};

ASSAY_API KnownNames known_names(const std::vector<LoadedRun>& runs);

}  // namespace assay
