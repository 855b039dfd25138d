// What a result depends on beside its configuration: build, CPU class, threads, library versions.
#pragma once

#include "base/api.h"
#include "results/record.h"

namespace assay {

ASSAY_API Facts environment_facts(int threads);
/// Puts them into a record that has none. Left until something is written: to ask the matrix
/// library for its instruction set opens it, which the start of a run need not wait for.
ASSAY_API void note_environment(RunRecord& record, int threads);

}  // namespace assay
