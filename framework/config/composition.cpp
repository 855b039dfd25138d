#include "config/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "config/interpolation.h"
#include "config/yaml.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kParts = 1000;
constexpr const char* kDefaults = "defaults";
constexpr const char* kExample = "[base.yaml, {model: gpt-small}]";

fs::path with_extension(const std::string& name) {
  const fs::path path(name);
  return path.extension() == ".yaml" || path.extension() == ".yml" ? path
                                                                   : fs::path(name + ".yaml");
}

fs::path group_folder(const std::string& group) {
  std::string folder = group;
  std::replace(folder.begin(), folder.end(), '.', '/');
  return folder;
}

// A choice stands below its group's folder.
bool is_choice_name(const std::string& name) {
  const fs::path path(name);
  return !name.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& step) { return step == ".."; });
}

// The value as section of a whole configuration.
Value in_section(const std::string& section, Value value) {
  if (section.empty() || value.is_null()) return value;
  const Location at = value.at();
  std::size_t end = section.size();
  while (true) {
    const std::size_t dot = section.rfind('.', end - 1);
    const std::size_t start = dot == std::string::npos ? 0 : dot + 1;
    value = Value::map({{section.substr(start, end - start), std::move(value)}}, at, {at});
    if (start == 0) return value;
    end = dot;
  }
}

bool is_plain_text(const Value& value) {
  return value.is_scalar() && !value.text().empty();
}

// A text that could be a group, not a reference to another value.
bool is_name(const Value& value) {
  return is_plain_text(value) && value.text().find("${") == std::string::npos;
}

}  // namespace

// One composition: what is being read, to find files that include themselves.
struct Composer::Reading {
  Composer& composer;
  const std::set<std::string>& left_out;
  Problems& problems;
  std::vector<std::pair<fs::path, std::string>> open;  // canonical and as named
  std::size_t parts = 0;

  void refuse(const Location& at, const std::string& message) {
    problems.add(at, message);
    composer.incomplete_ = true;
  }

  ConfigPart file(const fs::path& file, std::string title, const std::string& section,
                  const Location& named_at) {
    ConfigPart part{std::move(title), file, {}, {}};
    std::error_code ignored;
    const fs::path same = fs::weakly_canonical(file, ignored);
    if (const auto again = std::find_if(open.begin(), open.end(),
                                        [&](const auto& entry) { return entry.first == same; });
        again != open.end()) {
      std::string chain;
      for (auto it = again; it != open.end(); ++it) chain += it->second + " -> ";
      refuse(named_at, fmt::format("defaults: {} includes itself: {}{}", file.string(), chain,
                                   file.string()));
      return part;
    }
    if (++parts > kParts) {
      if (parts == kParts + 1)
        refuse(named_at, fmt::format("defaults: more than {} files in one configuration",
                                     human_count(kParts)));
      return part;
    }
    open.emplace_back(same, file.string());
    const Value content = composer.content(file, problems);
    if (!content.is_map() && !content.is_null()) {
      refuse(content.at(), fmt::format("wanted a map of {}; got {}",
                                       section.empty() ? "sections" : "options of " + section,
                                       describe(content)));
    } else {
      if (const Value* defaults = content.find(kDefaults))
        read_defaults(*defaults, file, section, part);
      const Value own = content.without(kDefaults);
      part.own = section.empty() ? without_names(own, file, part) : in_section(section, own);
    }
    open.pop_back();
    return part;
  }

  void read_defaults(const Value& written, const fs::path& file, const std::string& section,
                     ConfigPart& part) {
    const std::size_t before = problems.size();
    const Value defaults = interpolate_environment(written, problems);
    if (problems.size() > before) composer.incomplete_ = true;
    if (defaults.is_null() || problems.size() > before) return;
    if (!defaults.is_list()) {
      refuse(defaults.at(),
             fmt::format("defaults: wanted a list of files and groups, such as {}; got {}",
                         kExample, describe(defaults)));
      return;
    }
    for (const Value& item : defaults.items()) {
      if (item.is_map() && !item.entries().empty()) {
        for (std::size_t i = 0; i < item.entries().size(); ++i)
          add_group(item, i, file, section, part);
      } else if (is_plain_text(item)) {
        add_file(item, file, section, part);
      } else {
        refuse(item.at(), fmt::format("defaults: wanted a file (base.yaml) or a group "
                                      "({{model: gpt-small}}); got {}",
                                      describe(item)));
      }
    }
  }

  // Names in place of sections become parts. Where nothing of the kind is on the search path, a
  // text stays: what reads the section says what it may be.
  Value without_names(const Value& own, const fs::path& file, ConfigPart& part) {
    Value rest = own;
    const fs::path first = file.parent_path();
    for (const auto& [key, value] : own.entries()) {
      if (composer.sections_.count(key) == 0 || !is_name(value)) continue;
      const std::string& choice = value.text();
      if (!composer.has_choice(key, choice, first) && composer.path_.names(key, first).empty())
        continue;
      rest = rest.without(key);
      if (left_out.count(key)) continue;
      const std::string type = fmt::format(" (a type is written {}: {{type: {}}})", key, choice);
      if (auto chosen = choose(key, choice, value.at(), first, key + ": ", type))
        part.below.push_back(*std::move(chosen));
    }
    return rest;
  }

  void add_file(const Value& item, const fs::path& from, const std::string& section,
                ConfigPart& part) {
    const fs::path name = with_extension(item.text());
    const fs::path beside = from.parent_path() / name;
    std::error_code ignored;
    auto found = fs::is_regular_file(beside, ignored) ? std::optional(beside.lexically_normal())
                                                      : composer.path_.find(name);
    if (found) {
      part.below.push_back(file(*found, item.text(), section, item.at()));
      return;
    }
    const auto near = near_match(name.stem().string(),
                                 composer.path_.names(name.parent_path(), from.parent_path()));
    refuse(
        item.at(),
        item.text() == "_self_"
            ? std::string("defaults: the order is fixed: the defaults, then this file, then the "
                          "command line; remove _self_")
            : fmt::format("defaults: no file {} beside this one or on the search path (see assay "
                          "config --searchpath){}",
                          quote(name.string()),
                          near ? fmt::format("; did you mean {}?", quote(*near + ".yaml"))
                               : std::string()));
  }

  void add_group(const Value& item, std::size_t entry, const fs::path& from,
                 const std::string& section, ConfigPart& part) {
    const auto& [key, choice] = item.entries()[entry];
    const std::string group = section.empty() ? key : section + "." + key;
    if (left_out.count(group)) return;
    if (!is_plain_text(choice)) {
      refuse(choice.is_null() ? item.key_location(entry) : choice.at(),
             fmt::format("defaults: wanted the name of a file in the folder {}; got {}",
                         quote(group_folder(group).string() + "/"), describe(choice)));
      return;
    }
    if (auto chosen = choose(group, choice.text(), choice.at(), from.parent_path(), "defaults: "))
      part.below.push_back(*std::move(chosen));
  }

  std::optional<ConfigPart> choose(const std::string& group, const std::string& choice,
                                   const Location& at, const fs::path& first,
                                   const std::string& prefix, const std::string& otherwise = {}) {
    const fs::path folder = group_folder(group);
    const fs::path name = folder / with_extension(choice);
    const auto found = is_choice_name(choice) ? composer.path_.find(name, first) : std::nullopt;
    if (found) return file(*found, group + ": " + choice, group, at);
    const auto names = composer.path_.names(folder, first);
    const auto near = near_match(choice, names);
    std::string hint = "; no folder " + quote(folder.string() + "/") + " is there";
    if (near)
      hint = fmt::format("; did you mean {}?", quote(*near));
    else if (!names.empty())
      hint = fmt::format("; {}/ has {}", folder.string(), join(names));
    refuse(at, fmt::format("{}no file {} on the search path (see assay config --searchpath){}{}",
                           prefix, quote(name.string()), hint, otherwise));
    return std::nullopt;
  }
};

const Value& Composer::content(const fs::path& file, Problems& problems) {
  const auto known = known_.find(file);
  if (known != known_.end()) return known->second;
  return known_[file] = read_yaml_file(file, problems);
}

ConfigPart Composer::read(const fs::path& file, const std::set<std::string>& left_out,
                          Problems& problems) {
  Reading reading{*this, left_out, problems, {}, 0};
  return reading.file(file, file.string(), "", {});
}

bool Composer::has_choice(const std::string& group, const std::string& choice,
                          const fs::path& first) const {
  return is_choice_name(choice) && path_.find(group_folder(group) / with_extension(choice), first);
}

ConfigPart Composer::choose(const std::string& group, const std::string& choice, const Location& at,
                            Problems& problems) {
  const std::set<std::string> none;
  Reading reading{*this, none, problems, {}, 0};
  auto part = reading.choose(group, choice, at, {}, group + ": ");
  return part ? *std::move(part) : ConfigPart{};
}

Override Composer::with_groups(Override change, Problems& problems) {
  if (change.kind == Override::Kind::remove || change.choices.empty()) return change;
  const auto is_group = [&](const Value& choice) {
    return is_plain_text(choice) && !choice.quoted() &&
           (sections_.count(change.path) > 0 || has_choice(change.path, choice.text()));
  };
  if (!std::all_of(change.choices.begin(), change.choices.end(), is_group)) return change;
  for (Value& choice : change.choices) {
    change.names.push_back(choice.text());
    const Value whole = merged(choose(change.path, choice.text(), choice.at(), problems));
    const Value* section = whole.at_path(change.path);
    choice = section ? *section : Value::map({}, choice.at());
  }
  return change;
}

Value merged(const ConfigPart& part) {
  Value result;
  for (const ConfigPart& below : part.below) result = merge(result, merged(below));
  return merge(result, part.own);
}

std::vector<const ConfigPart*> parts_in_order(const ConfigPart& part) {
  std::vector<const ConfigPart*> order;
  for (const ConfigPart& below : part.below)
    for (const ConfigPart* each : parts_in_order(below)) order.push_back(each);
  order.push_back(&part);
  return order;
}

}  // namespace assay
