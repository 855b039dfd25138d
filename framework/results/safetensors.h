// Weights in the safetensors format: length of the header (8 bytes), the header (JSON: type, shape
// and place of each array), the numbers.
#pragma once

#include <filesystem>
#include <string>

#include "base/api.h"
#include "base/state.h"

namespace assay {

/// In the order of their names.
ASSAY_API std::string safetensors(const State& arrays);

/// Arrays of the types F32, F16 and BF16, as float32; others are left out. Throws Error(data),
/// naming the file, if it is no such file.
ASSAY_API State read_safetensors(const std::filesystem::path& file);

}  // namespace assay
