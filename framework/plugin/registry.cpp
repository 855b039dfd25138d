#include "plugin/registry.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <new>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "config/search_path.h"
#include "io/sha256.h"
#include "plugin/catalogue.h"
#include "plugin/loader.h"
#include "plugin/probe.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// A path as a name could otherwise leave its folder.
bool can_be_a_name(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos && name.front() != '.';
}

// "scheduler.warmup is ..." and "tokenizer 'bpe': vocabulary: ..." are about an option.
std::string refusal_text(const PluginFacts& plugin, const Value& section,
                         const std::string& message) {
  const std::string titles[] = {plugin.kind + ".", plugin.kind + ": ",
                                fmt::format("{} '{}': ", plugin.kind, plugin.name)};
  std::string_view rest = message;
  for (const std::string& title : titles)
    if (message.rfind(title, 0) == 0) rest.remove_prefix(title.size());
  const bool titled = rest.size() < message.size() ||
                      message.rfind(fmt::format("{} '{}'", plugin.kind, plugin.name), 0) == 0;
  const std::string_view word = rest.substr(0, rest.find_first_of(" :,;"));
  const Value* option = titled ? section.at_path(word) : nullptr;
  const Location& at = option ? option->at() : section.at();
  const std::string text = titled ? message : titles[2] + message;
  return at.column > 0 ? problem_text(at, text) : text;
}

}  // namespace

std::vector<fs::path> default_plugin_path(const std::vector<fs::path>& first) {
  std::vector<fs::path> path = first;
  path.emplace_back("plugins");
  for (fs::path& folder : split_folders(std::getenv("ASSAY_PLUGIN_PATH")))
    path.push_back(std::move(folder));
  if (const char* home = std::getenv("HOME"); home && *home)
    path.push_back(fs::path(home) / ".local/lib/assay/plugins");
  // Installed: <prefix>/lib/assay/plugins; in a build folder: beside lib.
  const fs::path libraries = library_file().parent_path();
  const fs::path installed = libraries / "assay" / "plugins";
  std::error_code ignored;
  path.push_back(fs::is_directory(installed, ignored)
                     ? installed
                     : (libraries / ".." / "plugins").lexically_normal());
  return path;
}

bool has_plugins(const fs::path& folder) {
  return !Catalogue({folder}).kinds().empty();
}

struct Registry::Impl {
  explicit Impl(const std::vector<fs::path>& search) : catalogue(search) {}

  /// Why a plugin of acceptable facts cannot be opened, or an empty text.
  std::string try_out(const PluginFacts& facts, std::string& sha256) {
    try {
      sha256 = sha256_hex_file(facts.file);
    } catch (const Error& e) {
      return e.what();
    }
    return probe_plugin_once(facts.file, sha256);
  }

  std::vector<PluginFacts> all_of(const std::string& kind) {
    std::vector<PluginFacts> plugins = catalogue.winners(kind);
    std::string sha256;
    for (PluginFacts& plugin : plugins)
      if (plugin.refused.empty()) plugin.refused = try_out(plugin, sha256);
    return plugins;
  }

  /// "(models: gpt, ngram)", and the refused ones with their reasons.
  std::string what_there_is(const std::string& kind) {
    std::vector<std::string> usable;
    std::string refused;
    for (const PluginFacts& plugin : all_of(kind)) {
      if (plugin.refused.empty())
        usable.push_back(plugin.name);
      else
        refused += fmt::format("; refused: '{}', {} {}", plugin.name, plugin.file.string(),
                               plugin.refused);
    }
    if (!usable.empty()) return fmt::format("({}: {}{})", folder_of_kind(kind), fmt::join(usable, ", "), refused);
    std::vector<std::string> searched;
    for (const fs::path& folder : catalogue.search()) searched.push_back(folder.string());
    return fmt::format("(there is no usable {} in {}{})", kind, fmt::join(searched, ", "), refused);
  }

  Catalogue catalogue;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const PluginEntry>> opened;
};

Registry::Registry(std::vector<fs::path> search) : impl_(std::make_unique<Impl>(search)) {}
Registry::~Registry() = default;

std::shared_ptr<const PluginEntry> Registry::open(std::string_view kind, std::string_view name,
                                                  const Location& at, Problems& problems) {
  const std::pair<std::string, std::string> key(kind, name);
  if (const auto known = impl_->opened.find(key); known != impl_->opened.end())
    return known->second;

  const PluginFacts* facts = can_be_a_name(name) ? impl_->catalogue.find(kind, name) : nullptr;
  if (!facts) {
    std::vector<std::string> names;
    for (const PluginFacts& plugin : impl_->catalogue.winners(key.first))
      names.push_back(plugin.name);
    const std::optional<std::string> near = near_match(name, names);
    problems.add(at, fmt::format("no {} {}{} {}", kind, quote(name),
                                 near ? fmt::format("; did you mean '{}'?", *near) : "",
                                 impl_->what_there_is(key.first)));
    return nullptr;
  }
  auto entry = std::make_shared<PluginEntry>();
  entry->facts = *facts;
  std::string refused = facts->refused;
  if (refused.empty()) refused = impl_->try_out(*facts, entry->sha256);
  if (refused.empty()) {
    Loaded loaded = load_plugin(facts->file);
    refused = loaded.refused;
    entry->options = std::move(loaded.registration.options);
    entry->make_options = std::move(loaded.registration.make_options);
    entry->create = std::move(loaded.registration.create);
  }
  if (!refused.empty()) {
    throw Error(ExitCode::plugin,
                problem_text(at, fmt::format("{} '{}' cannot be used: {} {}", kind, name,
                                             facts->file.string(), refused)));
  }
  impl_->opened[key] = entry;
  return entry;
}

std::pair<std::shared_ptr<const PluginEntry>, std::shared_ptr<void>> Registry::prepare_untyped(
    const char* kind, const Value& section, const std::string& path, Problems& problems) {
  const Value* type = section.find("type");
  if (!type || !type->is_scalar()) {
    if (type)
      problems.add(type->at(), fmt::format("{}.type: wanted the name of a {}, got {} {}", path,
                                           kind, describe(*type), impl_->what_there_is(kind)));
    else
      problems.add(section.at(), fmt::format("{}: wanted a map that says its type, got {} {}", path,
                                             describe(section), impl_->what_there_is(kind)));
    return {};
  }
  std::shared_ptr<const PluginEntry> entry = open(kind, type->text(), type->at(), problems);
  if (!entry) return {};
  std::shared_ptr<void> options = entry->make_options();
  const std::size_t before = problems.size();
  entry->options.read(options.get(), section, path, fmt::format("{} '{}'", kind, type->text()),
                      problems);
  if (problems.size() > before) return {};
  return {std::move(entry), std::move(options)};
}

void locating(const PluginFacts& plugin, const Value& section, const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    throw Error(error.code(), refusal_text(plugin, section, error.what()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ExitCode::plugin, refusal_text(plugin, section, error.what()));
  }
}

std::vector<PluginFacts> Registry::list() {
  std::vector<PluginFacts> all;
  for (const std::string& kind : impl_->catalogue.kinds())
    for (PluginFacts& plugin : impl_->all_of(kind)) all.push_back(std::move(plugin));
  return all;
}

std::vector<PluginFacts> Registry::named(const std::string& kind) {
  return impl_->catalogue.winners(kind);
}

std::vector<std::pair<PluginFacts, PluginFacts>> Registry::shadowed() {
  std::vector<std::pair<PluginFacts, PluginFacts>> all;
  for (const std::string& kind : impl_->catalogue.kinds())
    for (auto& pair : impl_->catalogue.shadowed(kind)) all.push_back(std::move(pair));
  return all;
}

std::vector<std::string> Registry::remarks() {
  std::vector<std::string> remarks;
  for (const auto& [key, entry] : impl_->opened)
    for (const auto& [loser, winner] : impl_->catalogue.shadowed(key.first))
      if (loser.name == key.second)
        remarks.push_back(
            fmt::format("{} '{}' is {}, not {}, which stands later on the search path", key.first,
                        key.second, winner.file.string(), loser.file.string()));
  return remarks;
}

}  // namespace assay
