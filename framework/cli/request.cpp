#include "cli/request.h"

#include <fmt/format.h>

#include <system_error>

#include "base/text.h"
#include "plugin/registry.h"

namespace assay {

OptionSpec plugins_option() {
  return {"plugins", 0, "DIR", "Look for plugins here first. May be given several times.", true};
}

std::vector<OptionSpec> machine_options() {
  return {{"threads", 0, "N", "Size of the thread pool; default: the cores this process may use."},
          {"jobs", 0, "N", "Runs in flight at once; default: as many as threads."},
          plugins_option()};
}

std::vector<std::filesystem::path> plugin_folders(const Arguments& arguments) {
  namespace fs = std::filesystem;
  std::vector<fs::path> folders;
  for (const std::string& folder : arguments.values("plugins")) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
      throw Error(ExitCode::usage, fmt::format("--plugins: {}: no such folder", folder));
    if (!has_plugins(folder))
      throw Error(ExitCode::usage,
                  fmt::format("--plugins: {} has no plugins: they would be {}", folder,
                              (fs::path(folder) / "<kind>s" / "<name>.so").string()));
    folders.emplace_back(folder);
  }
  return folders;
}

ExperimentRequest read_request(const std::string& verb, const Arguments& arguments) {
  const std::string usage = fmt::format("usage: assay {} FILE [KEY=VALUE ...]", verb);
  if (arguments.words.empty()) {
    throw Error(ExitCode::usage, fmt::format("{}: no experiment file given; {}", verb, usage));
  }
  ExperimentRequest request;
  request.file = arguments.words[0];
  for (std::size_t i = 1; i < arguments.words.size(); ++i) {
    const std::string& word = arguments.words[i];
    if (word.find('=') == std::string::npos && word.rfind("~", 0) != 0) {
      throw Error(ExitCode::usage, fmt::format("{}: wanted KEY=VALUE after the file, got {}; {}",
                                               verb, quote(word), usage));
    }
    request.overrides.push_back(word);
  }
  request.plugins = plugin_folders(arguments);
  request.threads = arguments.count("threads", 0);
  request.jobs = arguments.count("jobs", 0);
  return request;
}

}  // namespace assay
