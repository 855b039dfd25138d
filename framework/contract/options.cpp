#include <fmt/format.h>

#include <algorithm>

#include "config/yaml.h"
#include "contract/support.h"

namespace assay {
namespace {

void check_names(const OptionTable& options, Failures& failures) {
  for (const OptionTable::Entry& option : options.entries) {
    const std::string& name = option.info.name;
    if (option.info.help.empty()) failures.push_back(fmt::format("option '{}' has no help", name));
    if (name == "type") failures.push_back("no option can be called 'type': it names the plugin");
    if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
      failures.push_back(fmt::format("option '{}' is not in lower case with underscores", name));
  }
}

void check_defaults(const PluginEntry& plugin, Failures& failures) {
  const auto required = std::find_if(plugin.options.entries.begin(), plugin.options.entries.end(),
                                     [](const auto& option) { return option.info.required; });
  if (required != plugin.options.entries.end()) return;  // nothing can be read without it
  const auto defaults = plugin.make_options(), read = plugin.make_options();
  const Value written = plugin.options.write(defaults.get());
  Problems problems;
  plugin.options.read(read.get(), written, plugin.facts.kind, plugin.facts.name, problems);
  for (const Problem& problem : problems.list())
    failures.push_back(fmt::format("the defaults break its own rules: {}", problem.message));
  if (problems.empty() && write_yaml(plugin.options.write(read.get())) != write_yaml(written))
    failures.push_back("the defaults are read back differently from how they are written");
}

}  // namespace

Failures check_options(const PluginEntry& plugin, Failures failures) {
  attempt(failures, "options have names and help", [&] { check_names(plugin.options, failures); });
  attempt(failures, "defaults satisfy their own bounds", [&] { check_defaults(plugin, failures); });
  return failures;
}

}  // namespace assay
