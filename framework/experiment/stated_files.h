// Paths are relative to the file that states them, but a run has one folder: its experiment's.
#pragma once

#include <filesystem>

#include "base/api.h"
#include "config/options.h"
#include "config/value.h"

namespace assay {

/// section with each text of an option that names a file (OptionRefiner::names_file) made relative
/// to folder. What was stated on the command line is relative to the working directory. A text that
/// neither looks like a path nor is a file stays: it is a name, such as a known corpus's.
ASSAY_API Value with_stated_files(const Value& section, const OptionTable& options,
                                  const std::filesystem::path& folder);

}  // namespace assay
