// Plugins by kind and name, found on a search path, opened when an experiment names them.
//
//   Registry registry(default_plugin_path());
//   Problems problems;
//   auto model = registry.prepare<Model>(root.find("model"), "model", problems);   // opens
//   models/gpt.so, reads options problems.raise(); std::unique_ptr<Model> gpt =
//   model.create(build);
//
// The first folder of the search path that has a plugin wins; shadowed() lists the others. A plugin
// that was refused is fatal only when it is named: Error(plugin), with its reason. A name that does
// not exist is a problem (usage) with near names. Threads: prepare runs alone; create may be called
// from any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/api.h"
#include "config/options.h"
#include "config/problems.h"
#include "config/value.h"
#include "plugin/entry.h"

namespace assay {

/// Does the work. What a plugin throws there becomes an Error that says where the plugin, or the
/// option that the message begins with, was written.
ASSAY_API void locating(const PluginFacts& plugin, const Value& section,
                        const std::function<void()>& work);

/// A plugin with its options read: ready to create objects.
template <class Interface>
class Prepared {
 public:
  Prepared() = default;
  /// section: where the plugin is named.
  Prepared(std::shared_ptr<const PluginEntry> entry, std::shared_ptr<void> options, Value section);
  explicit operator bool() const { return entry_ != nullptr; }
  const PluginEntry& entry() const { return *entry_; }
  /// The section with its type and every option, defaults included.
  const Value& resolved() const { return resolved_; }
  /// What its constructor refuses is thrown with the place of the section or of the option.
  std::unique_ptr<Interface> create(const typename Interface::Build& build) const {
    std::unique_ptr<Interface> made;
    locating([&] { made.reset(static_cast<Interface*>(entry_->create(options_.get(), &build))); });
    return made;
  }
  /// The same for what its objects throw before anything runs.
  void locating(const std::function<void()>& work) const {
    assay::locating(entry_->facts, section_, work);
  }

 private:
  std::shared_ptr<const PluginEntry> entry_;
  std::shared_ptr<void> options_;
  Value section_, resolved_;
};

/// Of the running program: --plugins folders first, then ./plugins, $ASSAY_PLUGIN_PATH,
/// ~/.local/lib/assay/plugins, the plugins beside the program.
ASSAY_API std::vector<std::filesystem::path> default_plugin_path(
    const std::vector<std::filesystem::path>& first = {});

/// Whether it holds a <kind>s/<name>.so, usable or not.
ASSAY_API bool has_plugins(const std::filesystem::path& folder);

class ASSAY_API Registry {
 public:
  explicit Registry(std::vector<std::filesystem::path> search);
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// Opens (once) and returns the plugin; adds a problem at `at` if there is none of this name;
  /// throws Error(plugin) if it was refused.
  std::shared_ptr<const PluginEntry> open(std::string_view kind, std::string_view name,
                                          const Location& at, Problems& problems);
  /// Opens the plugin that section's `type` names and reads its options; empty if there were
  /// problems.
  template <class Interface>
  Prepared<Interface> prepare(const Value& section, const std::string& path, Problems& problems) {
    auto [entry, options] = prepare_untyped(Interface::kKind, section, path, problems);
    return Prepared<Interface>(std::move(entry), std::move(options), section);
  }

  /// What each name stands for, by kind and name, the refused ones too; none is opened in this
  /// process.
  std::vector<PluginFacts> list();
  /// What the names of one kind stand for, by name, as their notes say; whether they load is not
  /// tried.
  std::vector<PluginFacts> named(const std::string& kind);
  /// (loser, winner) of plugins with the same kind and name in two folders.
  std::vector<std::pair<PluginFacts, PluginFacts>> shadowed();
  /// Of the plugins that were opened: "model 'gpt' is A, not B, which stands later on the search
  /// path".
  std::vector<std::string> remarks();

 private:
  struct Impl;
  std::pair<std::shared_ptr<const PluginEntry>, std::shared_ptr<void>> prepare_untyped(
      const char* kind, const Value& section, const std::string& path, Problems& problems);
  std::unique_ptr<Impl> impl_;
};

template <class Interface>
Prepared<Interface>::Prepared(std::shared_ptr<const PluginEntry> entry,
                              std::shared_ptr<void> options, Value section)
    : entry_(std::move(entry)), options_(std::move(options)), section_(std::move(section)) {
  if (!entry_) return;
  const Value type = Value::scalar(entry_->facts.name, false, {});
  const Value written = entry_->options.write(options_.get());
  std::vector<Value::Entry> entries = {{"type", type}};
  entries.insert(entries.end(), written.entries().begin(), written.entries().end());
  resolved_ = Value::map(std::move(entries), {});
}

}  // namespace assay
