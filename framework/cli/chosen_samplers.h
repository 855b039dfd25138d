// The samplers that the options and words of `assay sample` ask for.
#pragma once

#include <memory>
#include <vector>

#include "cli/verb.h"
#include "interfaces/sampler.h"
#include "plugin/registry.h"

namespace assay {

inline constexpr const char* kSampleUsage = "usage: assay sample FILE [--prompt TEXT] [options]";

using Samplers = std::vector<std::unique_ptr<Sampler>>;

/// In the order that is usual: temperature, top_k, top_p, min_p, others. Throws Error(usage) for
/// what does not go together.
Samplers chosen_samplers(const Arguments& arguments, Registry& registry);

}  // namespace assay
