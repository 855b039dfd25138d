// The version of this build.
#pragma once

#include <string_view>

#include "base/api.h"

namespace assay {

ASSAY_API std::string_view version();  // "0.1.0"

}  // namespace assay
