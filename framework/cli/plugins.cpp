#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/json.h"
#include "cli/plugin_help.h"
#include "cli/plugin_verbs.h"
#include "cli/request.h"
#include "cli/scaffold.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "plugin/registry.h"

namespace assay {
namespace {

using Shadowed = std::vector<std::pair<PluginFacts, PluginFacts>>;

std::string list_text(const std::vector<PluginFacts>& plugins, const Shadowed& shadowed,
                      const Terminal& terminal) {
  Table usable({{"kind"}, {"name"}, {"version"}, {"summary"}, {"file", Align::left, Cut::front}});
  std::string remarks;
  for (const PluginFacts& plugin : plugins) {
    if (plugin.refused.empty()) {
      usable.row({plugin.kind, plugin.name, plugin.version, plugin.summary, plugin.file.string()});
    } else {
      remarks +=
          fmt::format("{} {} '{}': {} {}\n", styled(terminal, Style::red, "refused"), plugin.kind,
                      plugin.name, plugin.file.string(), printable(plugin.refused));
    }
  }
  for (const auto& [loser, winner] : shadowed) {
    remarks += fmt::format("{} {} '{}': {} stands behind {}\n",
                           styled(terminal, Style::yellow, "shadowed"), loser.kind, loser.name,
                           loser.file.string(), winner.file.string());
  }
  std::string text = usable.empty() ? "no plugins found; see --plugins and $ASSAY_PLUGIN_PATH\n"
                                    : usable.text(terminal);
  return remarks.empty() ? text : text + "\n" + remarks;
}

Value facts_json(const PluginFacts& plugin) {
  return Value::map({{"kind", json_text(plugin.kind)},
                     {"name", json_text(plugin.name)},
                     {"version", json_text(plugin.version)},
                     {"summary", json_text(plugin.summary)},
                     {"file", json_text(plugin.file.string())},
                     {"refused", plugin.refused.empty() ? Value() : json_text(plugin.refused)}},
                    {});
}

Value list_json(const std::vector<PluginFacts>& plugins, const Shadowed& shadowed) {
  std::vector<Value> all, hidden;
  for (const PluginFacts& plugin : plugins) all.push_back(facts_json(plugin));
  for (const auto& [loser, winner] : shadowed) {
    hidden.push_back(Value::map({{"kind", json_text(loser.kind)},
                                 {"name", json_text(loser.name)},
                                 {"file", json_text(loser.file.string())},
                                 {"behind", json_text(winner.file.string())}},
                                {}));
  }
  return Value::map({{"plugins", Value::list(std::move(all), {})},
                     {"shadowed", Value::list(std::move(hidden), {})}},
                    {});
}

ExitCode list(Registry& registry, const Arguments& arguments) {
  std::vector<PluginFacts> plugins = registry.list();
  std::stable_sort(plugins.begin(), plugins.end(), [](const PluginFacts& a, const PluginFacts& b) {
    return std::pair(a.kind, a.name) < std::pair(b.kind, b.name);
  });
  const Shadowed shadowed = registry.shadowed();
  write_out(arguments.has("json") ? write_json(list_json(plugins, shadowed))
                                  : list_text(plugins, shadowed, Terminal::of(stdout)));
  return ExitCode::done;
}

ExitCode show(Registry& registry, const Arguments& arguments) {
  Problems problems;
  const Location at = Location::of("plugins show");
  const auto entry = registry.open(arguments.words[1], arguments.words[2], at, problems);
  problems.raise();
  write_out(arguments.has("json") ? write_json(plugin_json(*entry))
                                  : plugin_text(*entry, Terminal::of(stdout)));
  return ExitCode::done;
}

/// An option that a word does not take would be ignored.
void refuse_option(const Arguments& arguments, const std::string& option) {
  if (arguments.has(option))
    throw Error(ExitCode::usage,
                fmt::format("plugins {}: --{} has no meaning here", arguments.words[0], option));
}

ExitCode execute_plugins(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words;
  const std::string first = words.empty() ? "" : words[0];
  if (first == "new")
    for (const char* option : {"json", "plugins"}) refuse_option(arguments, option);
  if (first == "test") return test_plugin(arguments);
  if (first == "new") return new_plugin(arguments);
  Registry registry(plugin_search(arguments));
  if (words.empty()) return list(registry, arguments);
  if (first == "show" && words.size() == 3) return show(registry, arguments);
  throw Error(ExitCode::usage,
              "plugins: usage: assay plugins, or: assay plugins show KIND NAME, or: assay plugins "
              "test FILE.so|KIND NAME, or: assay plugins new KIND NAME; see: assay help plugins");
}

// The next word: of what is done, of a kind, of a name, or a setting.
std::vector<Candidate> complete_plugins_verb(const Unfinished& line) {
  const std::vector<std::string>& words = line.before.words;
  const auto one_of = [&](const std::vector<std::string>& names) {
    std::vector<Candidate> found;
    for (const std::string& name : names)
      if (name.starts_with(line.word)) found.push_back({name, ""});
    return found;
  };
  if (words.empty()) return one_of({"show", "test", "new"});
  std::vector<Candidate> found;
  if (words.size() == 1) {
    found = one_of(scaffold_kinds());
    if (words[0] == "test")
      for (Candidate& file : files_of(line.word, {".so"})) found.push_back(std::move(file));
  } else if (words.size() == 2 && words[0] != "new" && !words[1].ends_with(".so")) {
    found = complete_plugins(line, words[1]);
  } else if (words[0] == "test" && words.size() > 2) {
    found = complete_plugin_settings(line, words[1], words[2]);
  }
  return found;
}

}  // namespace

std::vector<std::filesystem::path> plugin_search(const Arguments& arguments) {
  return default_plugin_path(plugin_folders(arguments));
}

Verb plugins_verb() {
  Verb verb;
  verb.name = "plugins";
  verb.synopsis = "[show|test|new KIND NAME|FILE.so] [KEY=VALUE ...] [options]";
  verb.summary = "List the plugins, document one, test one, or start one.";
  verb.details =
      "show documents the options of a plugin. test runs the contract of its kind, such as "
      "gradients "
      "against differences and the same bits at any thread count, with the options given, in a "
      "process of its own; exit code 1 if a check fails, 3 if the plugin cannot be used. new "
      "writes a folder to start from: source, example experiment, and "
      "CMakeLists.txt with tests. Plugins "
      "are looked for in the --plugins folders, ./plugins, $ASSAY_PLUGIN_PATH, "
      "~/.local/lib/assay/plugins and beside the program; the first folder that has one wins.";
  verb.options = {{"json", 0, "", "Print JSON."}, plugins_option()};
  verb.examples = {
      "assay plugins", "assay plugins show model gpt", "assay plugins test model gpt layers=1",
      "assay plugins test build/plugins/models/my_model.so", "assay plugins new model my_model"};
  verb.complete = complete_plugins_verb;
  verb.execute = execute_plugins;
  return verb;
}

}  // namespace assay
