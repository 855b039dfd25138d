// Known corpora by name, and text files by path.
#pragma once

#include <filesystem>
#include <string>

#include "base/api.h"

namespace assay {

/// The file of a corpus that Assay knows ("tiny_shakespeare") or of a path (relative to folder). A known corpus is looked for
/// in $ASSAY_DATA, in data/ beside the experiment (folder), in ~/.cache/assay, and otherwise downloaded there, its
/// SHA-256 checked. Throws Error(usage) for an unknown name that is no file, with near names; Error(data) if the
/// download fails or its checksum differs.
ASSAY_API std::filesystem::path find_corpus(const std::string& source,
                                            const std::filesystem::path& folder);
/// The whole file. Throws Error(data): missing, a folder, not readable, empty, UTF-16, each in its own words. A UTF-8 byte
/// order mark is dropped.
ASSAY_API std::string read_text(const std::filesystem::path& file);

}  // namespace assay
