// Completion of settings: keys from the options of the experiment and its plugins, values from
// their choices.
#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <utility>

#include "cli/completion.h"
#include "cli/request.h"
#include "experiment/compose.h"
#include "experiment/keys.h"
#include "experiment/setup.h"

namespace assay {
namespace {

// What can be set, and what it may be set to.
struct Settings {
  std::vector<KnownKey> keys;
  std::vector<Candidate> sections;  // with a dot behind: "model."
  std::function<std::vector<std::string>(const std::string&)> choices;  // of a group
};

std::vector<std::filesystem::path> existing_plugin_folders(const Unfinished& line) {
  try {
    return plugin_folders(line.before);
  } catch (const Error&) {
    return {};
  }
}

ExperimentRequest request_of(const Unfinished& line) {
  ExperimentRequest request;
  const std::vector<std::string>& words = line.before.words;
  if (!words.empty()) {
    request.file = words[0];
    request.overrides.assign(words.begin() + 1, words.end());
  }
  request.plugins = existing_plugin_folders(line);
  return request;
}

// As far as it can be read.
Value config_of(const ExperimentRequest& request) {
  if (request.file.empty()) return {};
  try {
    Problems told_by_run;
    const ComposedExperiment composed = compose_experiment(request, told_by_run);
    if (!composed.trials.empty()) return composed.trials[0].config.with("sweep", composed.sweep);
    return merged(composed.file);
  } catch (const std::exception&) {
    return {};
  }
}

Settings settings_of_experiment(const Unfinished& line) {
  const ExperimentRequest request = request_of(line);
  Registry registry(default_plugin_path(request.plugins));
  Settings settings;
  settings.keys = known_keys(config_of(request), registry);
  for (const OptionTable::Entry& entry : experiment_options().entries)
    if (entry.info.section || (!entry.info.kind.empty() && !entry.info.list))
      settings.sections.push_back({entry.info.name + ".", entry.info.help});
  settings.choices = [path = experiment_search_path(request)](const std::string& group) {
    std::string folder = group;
    std::replace(folder.begin(), folder.end(), '.', '/');
    return path.names(folder);
  };
  return settings;
}

std::string help_of_section(const Settings& settings, const std::string& text) {
  for (const Candidate& section : settings.sections)
    if (section.text == text) return section.help;
  return {};
}

// One step of the path further: "model." for "mo", "model.width=" for "model.w".
std::vector<Candidate> next_keys(const Settings& settings, const std::string& written,
                                 const std::string& ending) {
  const std::size_t dot = written.rfind('.');
  const std::size_t behind = dot == std::string::npos ? 0 : dot + 1;
  std::vector<Candidate> found;
  std::set<std::string> seen;
  for (const KnownKey& key : settings.keys) {
    if (!key.path.starts_with(written)) continue;
    const std::size_t end = key.path.find('.', behind);
    const bool is_section = end != std::string::npos;
    Candidate next = {key.path.substr(0, is_section ? end + 1 : end), key.info.help};
    if (is_section)
      next.help = help_of_section(settings, next.text);
    else
      next.text += ending;
    if (!seen.insert(next.text).second) continue;
    found.push_back(next);
    const std::string group = next.text.substr(0, next.text.size() - 1);
    if (is_section && ending.empty())
      found.push_back({group, "The section as a whole."});
    else if (is_section && settings.choices && !settings.choices(group).empty())
      found.push_back({group + ending, "A file of the group " + group + "."});
  }
  return found;
}

// The last of several values, `a,b`.
std::vector<Candidate> values(const Settings& settings, const std::string& key,
                              const std::string& written) {
  if (written.find_first_of("[{\"'") != std::string::npos) return {};
  const std::size_t comma = written.rfind(',');
  const std::string head = comma == std::string::npos ? "" : written.substr(0, comma + 1);
  std::vector<std::string> choices;
  if (settings.choices) choices = settings.choices(key);
  for (const KnownKey& known : settings.keys) {
    if (known.path != key) continue;
    if (known.info.names_file && head.empty()) return files_of(written, {});
    choices = known.info.choices;
    if (known.info.type == OptionInfo::Type::boolean) choices = {"true", "false"};
  }
  std::vector<Candidate> found;
  for (const std::string& choice : choices)
    if ((head + choice).starts_with(written)) found.push_back({head + choice, ""});
  return found;
}

std::vector<Candidate> next_setting(const Settings& settings, const std::string& word) {
  std::string before;
  for (const char* mark : {"++", "+", "~"})
    if (word.starts_with(mark) && before.empty()) before = mark;
  const bool deletes = before == "~";
  const std::string grid = "sweep.grid.";
  if (word.compare(before.size(), grid.size(), grid) == 0) before += grid;
  const std::string rest = word.substr(before.size());
  const std::size_t equals = rest.find('=');
  std::vector<Candidate> found;
  if (equals == std::string::npos) {
    found = next_keys(settings, rest, deletes ? "" : "=");
  } else {
    const std::string key = rest.substr(0, equals);
    found = values(settings, key, rest.substr(equals + 1));
    before += key + "=";
  }
  for (Candidate& one : found) one.text = before + one.text;
  return found;
}

}  // namespace

std::vector<Candidate> complete_experiment(const Unfinished& line) {
  if (line.before.words.empty()) return files_of(line.word, {".yaml", ".yml"});
  return next_setting(settings_of_experiment(line), line.word);
}

std::vector<Candidate> complete_keys(const Unfinished& line) {
  return next_keys(settings_of_experiment(line), line.word, "");
}

std::vector<Candidate> complete_plugins(const Unfinished& line, const std::string& kind) {
  Registry registry(default_plugin_path(existing_plugin_folders(line)));
  std::vector<Candidate> found;
  for (const PluginFacts& plugin : registry.named(kind))
    if (plugin.refused.empty() && plugin.name.starts_with(line.word))
      found.push_back({plugin.name, plugin.summary});
  return found;
}

std::vector<Candidate> complete_plugin_settings(const Unfinished& line, const std::string& kind,
                                                const std::string& name) {
  Registry registry(default_plugin_path(existing_plugin_folders(line)));
  Settings settings;
  try {
    Problems unknown;
    if (const auto entry = registry.open(kind, name, {}, unknown))
      for (const OptionTable::Entry& option : entry->options.entries)
        settings.keys.push_back({option.info.name, option.info});
  } catch (const Error&) {
  }
  return next_setting(settings, line.word);
}

}  // namespace assay
