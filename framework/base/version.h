// What this build is, and what of others it runs on.
#pragma once

#include <string>
#include <string_view>

#include "base/api.h"

namespace assay {

ASSAY_API std::string_view version();  // "0.1.0"
/// Of the library that this code is in: another one is other code. From the linker's note, in
/// memory; "unknown" where the linker wrote none.
ASSAY_API std::string build_id();
/// The library behind parallel loops as it is loaded: "oneTBB 2021.8.0".
ASSAY_API std::string thread_library();

}  // namespace assay
