#include "experiment/keys.h"

#include "base/error.h"
#include "experiment/adaptive.h"
#include "experiment/setup.h"

namespace assay {
namespace {

class Keys {
 public:
  Keys(const Value& config, Registry& registry) : config_(config), registry_(registry) {}

  void add_table(const OptionTable& table, const std::string& prefix) {
    for (const OptionTable::Entry& entry : table.entries) {
      const std::string path = prefix + entry.info.name;
      if (entry.info.section)
        add_table(*entry.info.section, path + ".");
      else if (!entry.info.kind.empty() && !entry.info.list)
        add_plugin(entry.info.kind, path + ".");
      else
        keys.push_back({path, entry.info});
    }
  }

  std::vector<KnownKey> keys;

 private:
  void add_plugin(const std::string& kind, const std::string& prefix) {
    KnownKey type{prefix + "type", {}};
    type.info.name = "type";
    type.info.help = "Which " + kind + " it is.";
    type.info.type = OptionInfo::Type::text;
    for (const PluginFacts& plugin : registry_.named(kind))
      if (plugin.refused.empty()) type.info.choices.push_back(plugin.name);
    const Value* name = config_.at_path(type.path);
    keys.push_back(std::move(type));
    if (!name || !name->is_scalar()) return;
    try {
      Problems unknown;
      if (const auto entry = registry_.open(kind, name->text(), name->at(), unknown))
        add_table(entry->options, prefix);
    } catch (const Error&) {  // refused: it has no options that anyone could set
    }
  }

  const Value& config_;
  Registry& registry_;
};

}  // namespace

std::vector<KnownKey> known_keys(const Value& config, Registry& registry) {
  Keys keys(config, registry);
  keys.add_table(experiment_options(), "");
  keys.add_table(describe_options<AdaptiveOptions>(), "sweep.");
  return std::move(keys.keys);
}

}  // namespace assay
