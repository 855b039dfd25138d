// How the expectations of an experiment came out, as `assay run` prints it.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"
#include "experiment/collection.h"
#include "experiment/expectations.h"

namespace assay {

Style verdict_style(Verdict::Kind kind);
/// A table with a line for each, and how many were missed; empty where nothing was expected.
std::string verdicts_text(const std::vector<Verdict>& verdicts, const Terminal& terminal);
/// A line for each expectation of each experiment, or for what happened instead.
std::string collection_text(const std::vector<CollectionEntry>& entries,
                            const std::vector<CollectionResult>& results, const Terminal& terminal);

}  // namespace assay
