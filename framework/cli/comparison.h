// What `assay run` prints when its runs have ended: a table of them, and means over runs that
// differ only in seed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "results/comparison.h"
#include "results/record.h"
#include "results/statistics.h"

namespace assay {

inline constexpr const char* kTrainingLoss = "train/loss";
inline constexpr const char* kValidationLoss = "val/loss";

/// The series, or null if the record has none or it is empty.
const Series* find_metric(const RunRecord& record, const std::string& name);

/// The least loss any model can reach on this data, in nats per token, where the source is known.
std::optional<double> known_limit(const RunRecord& record);

Style status_style(RunStatus status);
/// "1.9375 ± 0.0884": mean and deviation.
std::string spread_text(const Spread& spread, bool unicode);

/// Runs in the order given; then, where at least two differ in nothing but their seed, a line per
/// such group.
std::string comparison_text(const std::vector<LoadedRun>& runs, const Terminal& terminal);

}  // namespace assay
