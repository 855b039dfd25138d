// The stop flag: set by the first SIGINT or SIGTERM, looked at between steps. A second signal quits
// at once.
#pragma once

#include "base/api.h"

namespace assay {

/// Installs the handlers. Called once, by main.
ASSAY_API void catch_stop_signals();
ASSAY_API bool stop_requested();
/// The number of the signal that asked, or 0.
ASSAY_API int stop_signal();

}  // namespace assay
