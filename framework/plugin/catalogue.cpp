#include "plugin/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "plugin/elf_note.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// The entries of a folder, sorted, so that nothing depends on the order of the file system. None
/// if it cannot be read.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code stopped;
  for (fs::directory_iterator entry(folder, stopped), end; entry != end && !stopped;
       entry.increment(stopped))
    found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<PluginFacts> read_folder(const fs::path& folder, const std::string& kind) {
  std::vector<PluginFacts> plugins;
  std::map<std::string, std::vector<std::size_t>> claims;  // files that say they are this plugin
  for (const fs::path& file : entries(folder)) {
    if (file.extension() != ".so") continue;
    NoteFacts note = read_plugin_note(file);
    PluginFacts facts{kind, file.stem().string(), note.version, note.summary, file, note.refused};
    if (!note.name.empty()) {
      const std::string claim = fmt::format("{} '{}'", note.kind, note.name);
      claims[claim].push_back(plugins.size());
      if (facts.refused.empty() && (note.kind != kind || note.name != facts.name))
        facts.refused = fmt::format("says that it is {}, but its path is that of {} '{}'", claim,
                                    kind, facts.name);
    }
    plugins.push_back(std::move(facts));
  }
  for (const auto& [claim, files] : claims) {
    for (const std::size_t one : files) {
      if (files.size() == 1) continue;
      const std::size_t other = files[one == files[0] ? 1 : 0];
      plugins[one].refused = fmt::format("and {} both say that they are {}: remove one of them",
                                         plugins[other].file.string(), claim);
    }
  }
  return plugins;
}

}  // namespace

std::string folder_of_kind(std::string_view kind) {
  return std::string(kind) + (kind.ends_with("ch") ? "es" : "s");
}

std::string kind_of_folder(std::string_view folder) {
  const std::size_t ending = folder.ends_with("ches") ? 2 : 1;
  if (folder.size() <= ending || !folder.ends_with('s')) return {};
  return std::string(folder.substr(0, folder.size() - ending));
}

Catalogue::Catalogue(const std::vector<fs::path>& search) {
  std::set<fs::path> seen;
  for (const fs::path& folder : search) {
    std::error_code ignored;
    const fs::path absolute = fs::absolute(folder).lexically_normal();
    const fs::path canonical = fs::weakly_canonical(absolute, ignored);
    if (seen.insert(ignored ? absolute : canonical).second) search_.push_back(absolute);
  }
}

const std::vector<PluginFacts>& Catalogue::folder(const fs::path& root, const std::string& kind) {
  const fs::path path = root / folder_of_kind(kind);
  const auto known = folders_.find(path);
  if (known != folders_.end()) return known->second;
  return folders_.emplace(path, read_folder(path, kind)).first->second;
}

const PluginFacts* Catalogue::find(std::string_view kind, std::string_view name) {
  for (const fs::path& root : search_)
    for (const PluginFacts& plugin : folder(root, std::string(kind)))
      if (plugin.name == name) return &plugin;
  return nullptr;
}

std::vector<PluginFacts> Catalogue::winners(const std::string& kind) {
  std::map<std::string, PluginFacts> by_name;
  for (const fs::path& root : search_)
    for (const PluginFacts& plugin : folder(root, kind)) by_name.try_emplace(plugin.name, plugin);
  std::vector<PluginFacts> all;
  for (auto& [name, plugin] : by_name) all.push_back(std::move(plugin));
  return all;
}

std::vector<std::string> Catalogue::kinds() const {
  std::set<std::string> found;
  for (const fs::path& root : search_) {
    for (const fs::path& folder : entries(root)) {
      const std::string name = folder.filename().string();
      const std::string kind = kind_of_folder(name);
      if (kind.empty()) continue;
      const std::vector<fs::path> files = entries(folder);
      if (std::any_of(files.begin(), files.end(),
                      [](const fs::path& file) { return file.extension() == ".so"; }))
        found.insert(kind);
    }
  }
  return {found.begin(), found.end()};
}

std::vector<std::pair<PluginFacts, PluginFacts>> Catalogue::shadowed(const std::string& kind) {
  std::vector<std::pair<PluginFacts, PluginFacts>> pairs;
  std::map<std::string, PluginFacts> by_name;
  for (const fs::path& root : search_) {
    for (const PluginFacts& plugin : folder(root, kind)) {
      const auto [winner, first] = by_name.try_emplace(plugin.name, plugin);
      if (!first) pairs.emplace_back(plugin, winner->second);
    }
  }
  return pairs;
}

}  // namespace assay
