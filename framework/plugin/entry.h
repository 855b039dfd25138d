// A plugin as the program knows it: its facts, its options, and how to make an object of it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "config/options.h"

namespace assay {

/// What a plugin says of itself, read from its file without running it.
struct PluginFacts {
  std::string kind, name, version, summary;
  std::filesystem::path file;
  std::string refused;  // why it cannot be used, after the file's name; empty: it can
};

/// One registered plugin. Filled by ASSAY_PLUGIN (plugin/plugin.h).
struct PluginEntry {
  PluginFacts facts;
  std::string sha256;  // of the file
  OptionTable options;
  std::function<std::shared_ptr<void>()> make_options;  // defaults
  /// Returns a new Interface*, given Options* and Interface::Build*.
  std::function<void*(const void* options, const void* build)> create;
};

}  // namespace assay
