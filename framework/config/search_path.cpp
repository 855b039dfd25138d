#include "config/search_path.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path below_folder(const fs::path& folder, const fs::path& name) {
  return folder == "." ? name : folder / name;
}

bool is_file(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

// The folders in their order, with one more behind the working directory.
std::vector<fs::path> in_order(const std::vector<ConfigFolder>& folders, const fs::path& first) {
  std::vector<fs::path> order;
  for (const ConfigFolder& entry : folders) order.push_back(entry.folder);
  if (!first.empty() && std::find(order.begin(), order.end(), first) == order.end())
    order.insert(order.begin() + (order.empty() ? 0 : 1), first);
  return order;
}

}  // namespace

std::optional<fs::path> SearchPath::find(const fs::path& name, const fs::path& first) const {
  for (const fs::path& folder : in_order(folders, first))
    if (fs::path file = below_folder(folder, name); is_file(file)) return file;
  return std::nullopt;
}

std::vector<std::string> SearchPath::names(const fs::path& below, const fs::path& first) const {
  std::vector<std::string> names;
  for (const fs::path& folder : in_order(folders, first)) {
    std::error_code error;
    for (fs::directory_iterator it(below_folder(folder, below), error), end; !error && it != end;
         it.increment(error))
      if (it->path().extension() == ".yaml") names.push_back(it->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<fs::path> split_folders(const char* list) {
  std::vector<fs::path> folders;
  std::string_view rest = list ? list : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

SearchPath config_search_path(const fs::path& experiment_folder,
                              const std::vector<fs::path>& plugin_folders) {
  SearchPath path;
  auto& folders = path.folders;
  folders.push_back({".", "working directory"});
  if (!experiment_folder.empty() && experiment_folder != ".")
    folders.push_back({experiment_folder, "folder of the experiment"});
  for (fs::path& folder : split_folders(std::getenv("ASSAY_CONFIG_PATH")))
    folders.push_back({std::move(folder), "$ASSAY_CONFIG_PATH"});
  if (const char* home = std::getenv("HOME"); home && *home)
    folders.push_back({fs::path(home) / ".config" / "assay", "yours"});
  for (std::size_t i = 0; i < plugin_folders.size(); ++i)
    folders.push_back({plugin_folders[i] / "config",
                       i + 1 == plugin_folders.size() ? "built in" : "beside plugins"});
  return path;
}

}  // namespace assay
