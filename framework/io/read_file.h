// Reading whole files, with one wording for what can be wrong with them.
//
// Errors: Error(data) naming the file: missing, no permission, a folder, no regular file (a pipe
// would block).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "base/api.h"
#include "base/function_ref.h"

namespace assay {

/// The bytes as they are.
ASSAY_API std::string read_file(const std::filesystem::path& file);

/// The same without holding all of it: calls use with one piece after the other.
ASSAY_API void read_blocks(const std::filesystem::path& file,
                           FunctionRef<void(std::span<const std::byte>)> use);

}  // namespace assay
