// Which plugin files a search path has, and which of them each name stands for. Nothing is opened:
// facts come from the notes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/api.h"
#include "plugin/entry.h"

namespace assay {

/// Where plugins of a kind are: "models"; "searches" of "search".
ASSAY_API std::string folder_of_kind(std::string_view kind);
/// Empty if no kind has such a folder.
std::string kind_of_folder(std::string_view folder);

class Catalogue {
 public:
  /// A folder that appears twice counts once; one that does not exist has no plugins.
  explicit Catalogue(const std::vector<std::filesystem::path>& search);

  /// The first on the search path, or null.
  const PluginFacts* find(std::string_view kind, std::string_view name);
  /// What each name of a kind stands for, by name.
  std::vector<PluginFacts> winners(const std::string& kind);
  /// Kinds of which there is a plugin, sorted.
  std::vector<std::string> kinds() const;
  /// (loser, winner) of one kind.
  std::vector<std::pair<PluginFacts, PluginFacts>> shadowed(const std::string& kind);
  const std::vector<std::filesystem::path>& search() const { return search_; }

 private:
  const std::vector<PluginFacts>& folder(const std::filesystem::path& root,
                                         const std::string& kind);

  std::vector<std::filesystem::path> search_;
  std::map<std::filesystem::path, std::vector<PluginFacts>> folders_;  // read so far
};

}  // namespace assay
