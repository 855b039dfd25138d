// Reads the note of a plugin from its file without running anything of it. The file is not trusted:
// every length and offset is checked, and reading a damaged or hostile one ends in a reason, never
// in a crash.
#pragma once

#include <filesystem>
#include <string>

#include "base/api.h"

namespace assay {

struct NoteFacts {
  std::string kind, name, version, summary;  // empty if the note could not be read
  std::string
      refused;  // why the file cannot be used: a sentence that goes on after the file's name
};

ASSAY_API NoteFacts read_plugin_note(const std::filesystem::path& file);

}  // namespace assay
