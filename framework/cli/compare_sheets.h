// The tables of `assay compare`.
#pragma once

#include <string>
#include <vector>

#include "cli/sheet.h"
#include "results/comparison.h"

namespace assay {

/// What is compared: rows of runs or of groups, and by what.
struct CompareView {
  std::vector<RunGroup> groups;     // all that are compared, sorted; of one run each where single
  std::size_t shown = 0;            // the first of them, which the tables show
  std::vector<std::string> labels;  // of the groups: "A", "B", ...
  std::vector<std::string> keys;    // configuration shown
  std::vector<Expression> metrics;  // at least one
  std::size_t baseline = 0;         // group that others are compared with; may be beyond shown
  bool split_by_argument = false;
  std::vector<std::string> arguments;  // the paths given
};

/// Whole numbers from 10 on without decimals; "-" for what is missing.
Cell outcome_cell(const Outcome& outcome);

/// Files without what all have in common: a folder before, ".h5" behind.
std::vector<std::string> short_names(const std::vector<const LoadedRun*>& runs);

/// "A", or "F (results/gpt/seed=1.h5)" where no table shows the group. REQUIRES a group.
std::string baseline_name(const CompareView& view);

/// A row for each run, in the order of the groups.
Sheet runs_sheet(const CompareView& view);
/// A row for each group. exact: mean, deviation and interval in columns of their own.
Sheet groups_sheet(const CompareView& view, bool exact, bool unicode);
/// Each group against the baseline, in the first metric.
Sheet claims_sheet(const CompareView& view, bool unicode);
/// The same with each figure in a column of its own.
Sheet exact_claims_sheet(const CompareView& view);
/// One metric by step, a column for each run; with two runs their difference.
Sheet steps_sheet(const CompareView& view, const std::string& metric, std::size_t most_rows);

/// The configuration shown as a row for each key and a column for each group; empty for one group.
Sheet differences_sheet(const CompareView& view);

/// Of exactly two runs: where their metrics and their weights part, in lines; else empty.
std::string parting_text(const CompareView& view);

}  // namespace assay
