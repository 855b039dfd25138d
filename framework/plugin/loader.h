// Opens shared libraries: the one file that includes dlfcn.h is loader.cpp.
//
// A library that was opened stays open until the process ends (its code may be anywhere: in
// objects, in exceptions). Threads: one at a time.
#pragma once

#include <filesystem>
#include <string>

#include "base/api.h"
#include "plugin/plugin.h"

namespace assay {

struct Loaded {
  Registrar::Registration registration;
  std::string refused;  // why not: a sentence that goes on after the file's name; empty: loaded
};

/// Opens the file in this process and lets it register. The floating-point mode is as before,
/// whatever the file did to it. Run by assay-probe first (probe.h), because opening a damaged file
/// can crash or end a process.
ASSAY_API Loaded load_plugin(const std::filesystem::path& file);

/// Where libassay.so is: the probe's program and the bundled plugins are found from there.
ASSAY_API std::filesystem::path library_file();

}  // namespace assay
