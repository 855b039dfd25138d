#include "cli/request.h"

#include <fmt/format.h>

#include <system_error>

#include "base/text.h"
#include "config/overrides.h"
#include "config/scalar.h"
#include "plugin/registry.h"

namespace assay {

OptionSpec plugins_option() {
  return {"plugins", 0, "DIR", "Look for plugins here first. May be given several times.", true};
}

std::vector<OptionSpec> machine_options() {
  return {{"threads", 0, "N", "Size of the thread pool; default: the cores this process may use."},
          {"jobs", 0, "N", "Runs in flight at once; default: as many as threads."},
          {"memory", 0, "SIZE",
           "Memory that runs may take together: 800MB, 16GB; default: most of what is free."},
          plugins_option()};
}

OptionSpec progress_option() {
  return {
      "progress", 0,
      "HOW",      "What is told on standard error: text (the default), or json, an object a line.",
      false,      {"text", "json"}};
}

bool progress_is_json(const Arguments& arguments) {
  return arguments.value("progress").value_or("text") == "json";
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

std::optional<double> read_memory(const Arguments& arguments) {
  const auto text = arguments.value("memory");
  if (!text) return std::nullopt;
  double size = 0;
  for (const auto& [unit, bytes] : {std::pair("MB", 1e6), {"GB", 1e9}})
    if (text->ends_with(unit) &&
        parse_real(std::string_view(*text).substr(0, text->size() - 2), size) ==
            NumberError::none &&
        size > 0)
      return size * bytes;
  throw Error(ExitCode::usage,
              fmt::format("--memory: wanted a size such as 800MB or 16GB, got {}", quote(*text)));
}

bool is_setting(const std::string& word) {
  return word.find('=') != std::string::npos;
}

std::vector<std::string> read_settings(const std::string& verb, const Arguments& arguments,
                                       std::size_t first, const std::string& usage) {
  std::vector<std::string> settings;
  for (std::size_t i = first; i < arguments.words.size(); ++i) {
    const std::string& word = arguments.words[i];
    if (!is_setting(word))
      throw Error(ExitCode::usage,
                  fmt::format("{}: wanted KEY=VALUE, got {}; {}", verb, quote(word), usage));
    settings.push_back(word);
  }
  return settings;
}

Value plugin_section(const std::string& type, const std::vector<std::string>& settings,
                     const Location& at, Problems& problems) {
  Value section = Value::map({{"type", Value::scalar(type, false, at)}}, at);
  for (const std::string& word : settings) {
    const Override setting = read_override(word, problems);
    if (setting.choices.size() > 1)
      problems.add(
          at, fmt::format("{}: wanted one value, got {}", quote(word), setting.choices.size()));
    if (setting.choices.size() == 1)
      section = apply_override(section, setting, setting.choices[0], problems);
  }
  return section;
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
    if (!is_setting(word) && !word.starts_with("~")) {
      throw Error(ExitCode::usage, fmt::format("{}: wanted KEY=VALUE after the file, got {}; {}",
                                               verb, quote(word), usage));
    }
    request.overrides.push_back(word);
  }
  request.plugins = plugin_folders(arguments);
  request.threads = arguments.count("threads", 0);
  request.jobs = arguments.count("jobs", 0);
  request.memory = read_memory(arguments);
  return request;
}

}  // namespace assay
