// Where the parts of a configuration are looked for: files and groups that a `defaults:` list or
// the command line names.
//
//   SearchPath path = config_search_path(folder_of_experiment, plugin_folders);
//   auto file = path.find("model/gpt-small.yaml");
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/api.h"

namespace assay {

struct ConfigFolder {
  std::filesystem::path folder;
  std::string origin;  // why it is looked into: "working directory"
};

class ASSAY_API SearchPath {
 public:
  std::vector<ConfigFolder> folders;  // the first that has a file wins

  /// The first such file, named as short as its folder allows. first: looked into before all else
  /// but the working directory; empty: none.
  std::optional<std::filesystem::path> find(const std::filesystem::path& name,
                                            const std::filesystem::path& first = {}) const;
  /// The names (without .yaml) of what stands below a folder of any of the folders, sorted: the
  /// choices of a group.
  std::vector<std::string> names(const std::filesystem::path& below,
                                 const std::filesystem::path& first = {}) const;
};

/// The folders of a list such as $PATH, separated by colons; empty ones are none, as is a null
/// list.
ASSAY_API std::vector<std::filesystem::path> split_folders(const char* list);

/// The working directory, the experiment's folder, $ASSAY_CONFIG_PATH, ~/.config/assay, and
/// `config` in each plugin folder, of which the last is that of the built-in ones.
ASSAY_API SearchPath config_search_path(const std::filesystem::path& experiment_folder,
                                        const std::vector<std::filesystem::path>& plugin_folders);

}  // namespace assay
