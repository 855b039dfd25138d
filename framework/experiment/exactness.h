// Whether a run can be continued or repeated here to the same bits.
#pragma once

#include <string>
#include <vector>

#include "base/api.h"
#include "results/record.h"

namespace assay {

/// What differs between two records of one run that its bits may depend on: build, libraries, CPU
/// class, plugins, data. One line each: "kernels: AVX2 then, AVX3 now". Threads never matter.
ASSAY_API std::vector<std::string> inexact_reasons(const RunRecord& then, const RunRecord& now);

}  // namespace assay
