// Which instruction set the kernels use. Without a call it is the best that the processor has.
#pragma once

#include <string>
#include <string_view>

#include "base/api.h"

namespace assay {

/// Limits kernels and matrix library to an instruction set: "avx512", "avx2", "sse4", "ssse3",
/// "scalar", "neon", or "" for the best. REQUIRES no kernel and no matrix product has run in this
/// process. Throws Error(usage) for a name that is unknown, or that this build or processor lacks;
/// the message lists those that would do.
ASSAY_API void select_kernels(std::string_view name);

/// The one in use ("AVX3_DL", "AVX2", ...), with the instruction set of the matrix library:
/// "AVX3_DL, oneDNN avx512_core_bf16".
ASSAY_API std::string kernel_target();
/// The matrix library as it is loaded: "oneDNN 2.6.3 (52b5f10)".
ASSAY_API std::string matrix_library();

}  // namespace assay
