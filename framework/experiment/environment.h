// What a result depends on beside its configuration: build, CPU class, threads, library versions.
#pragma once

#include "base/api.h"
#include "results/record.h"

namespace assay {

ASSAY_API Facts environment_facts(int threads);

}  // namespace assay
