#include "config/interpolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "config/references.h"
#include "config/yaml_text.h"

namespace assay {
namespace {

constexpr std::size_t kChain = 64;         // references that lead to references
constexpr std::size_t kCandidates = 1000;  // for near matches

bool has_reference(const Value& value) {
  if (value.is_scalar()) return value.text().find("${") != std::string::npos;
  const auto in_entry = [](const Value::Entry& entry) { return has_reference(entry.second); };
  return std::any_of(value.items().begin(), value.items().end(), has_reference) ||
         std::any_of(value.entries().begin(), value.entries().end(), in_entry);
}

std::string child_path(const std::string& path, const std::string& step) {
  return path.empty() ? step : path + "." + step;
}

void collect_paths(const Value& value, const std::string& path, std::vector<std::string>& paths) {
  if (!path.empty() && paths.size() < kCandidates) paths.push_back(path);
  if (paths.size() >= kCandidates) return;
  for (const auto& [key, entry] : value.entries())
    collect_paths(entry, child_path(path, key), paths);
}

// What a value takes when it is written out.
struct WrittenExtent {
  std::size_t nodes = 1, bytes = 0, height = 0;
  void contain(const WrittenExtent& part) {
    nodes += part.nodes;
    bytes += part.bytes;
    height = std::max(height, part.height + 1);
  }
};

struct Resolved {
  Value value;
  WrittenExtent extent;
};

WrittenExtent extent_of(const Value& value) {
  WrittenExtent all = {1, value.text().size(), 0};
  for (const Value& item : value.items()) all.contain(extent_of(item));
  for (const auto& [key, entry] : value.entries()) all.contain(extent_of(entry));
  return all;
}

class Resolver {
 public:
  /// root: null where only the environment can be referred to.
  Resolver(const Value* root, Problems& problems, std::vector<Location>& left)
      : root_(root), problems_(problems), left_(left) {}

  Resolved resolve(const Value& value, const std::string& path) {
    if (!has_reference(value)) return {value, extent_of(value)};
    const auto known = known_.find(path);
    if (known != known_.end()) return known->second;
    open_.push_back(path);
    Resolved result = value.is_scalar() ? resolve_text({value, path}) : resolve_parts(value, path);
    open_.pop_back();
    return known_.emplace(path, std::move(result)).first->second;
  }

 private:
  // The text that holds a reference, and where it stands in the configuration.
  struct Holder {
    const Value& value;
    const std::string& path;
  };
  using Part = ReferencePart;

  Resolved resolve_parts(const Value& value, const std::string& path) {
    WrittenExtent all;
    const auto part = [&](const Value& old, const std::string& step) {
      Resolved result = resolve(old, child_path(path, step));
      all.contain(result.extent);
      return std::move(result.value);
    };
    if (value.is_list()) {
      std::vector<Value> items;
      for (const Value& item : value.items())
        items.push_back(part(item, std::to_string(items.size())));
      return {Value::list(std::move(items), value.at()), all};
    }
    std::vector<Value::Entry> entries;
    std::vector<Location> places;
    for (const auto& [key, entry] : value.entries()) {
      places.push_back(value.key_location(entries.size()));
      entries.emplace_back(key, part(entry, key));
    }
    return {Value::map(std::move(entries), value.at(), std::move(places)), all};
  }

  Resolved resolve_text(const Holder& holder) {
    const Value& value = holder.value;
    const Resolved unchanged = {value, extent_of(value)};
    const auto parts = split_references(value.text());
    const bool whole = parts.size() == 1 && parts[0].kind == Part::Kind::reference;
    if (whole && !parts[0].is_environment()) {
      auto target = refer(parts[0], holder);
      return target ? *std::move(target) : unchanged;
    }
    auto text = joined(parts, holder);
    if (!text) return unchanged;
    const WrittenExtent extent = {1, text->size(), 0};
    return {Value::scalar(*std::move(text), value.quoted() && !whole, value.at()), extent};
  }

  std::optional<std::string> joined(const std::vector<Part>& parts, const Holder& holder) {
    std::string text;
    for (const Part& part : parts) {
      std::optional<std::string> piece;
      if (part.kind == Part::Kind::text)
        piece = part.text;
      else if (part.kind == Part::Kind::fault)
        refuse(part, holder, part.text);
      else if (part.is_environment())
        piece = environment(part, holder);
      else
        piece = referred_text(part, holder);
      if (!piece) return std::nullopt;
      text += *piece;
      if (text.size() > kYamlBytes) return refuse_size(part, holder);
    }
    return text;
  }

  std::optional<std::string> referred_text(const Part& part, const Holder& holder) {
    const auto target = refer(part, holder);
    if (!target) return std::nullopt;
    if (target->value.is_scalar()) return target->value.text();
    return refuse(part, holder,
                  fmt::format("${{{}}} is {}, which cannot be a part of a text", part.text,
                              describe(target->value)));
  }

  std::optional<std::string> environment(const Part& part, const Holder& holder) {
    const std::string name = part.variable();
    if (const char* set = std::getenv(name.c_str())) {
      const std::string_view text = set;
      if (utf8_error(text) == std::string_view::npos) return std::string(text);
      return refuse(part, holder, fmt::format("the environment variable {} is not UTF-8", name));
    }
    const auto otherwise = part.otherwise();
    if (!otherwise)
      return refuse(part, holder,
                    fmt::format("the environment variable {0} is not set; set it, or write "
                                "${{env:{0},default}}",
                                name));
    return joined(split_references(*otherwise), holder);
  }

  // The value that a reference names, resolved.
  std::optional<Resolved> refer(const Part& part, const Holder& holder) {
    if (!root_)
      return refuse(part, holder, "only the environment can be referred to here: ${env:NAME}");
    auto target = follow(part, holder);
    if (!target) return std::nullopt;
    const auto above =
        static_cast<std::size_t>(std::count(holder.path.begin(), holder.path.end(), '.') + 1);
    if (above + target->extent.height > kYamlDepth)
      return refuse(part, holder, fmt::format("lists and maps more than {} deep", kYamlDepth));
    taken_.contain(target->extent);
    if (taken_.nodes > static_cast<std::size_t>(kYamlNodes) || taken_.bytes > kYamlBytes)
      return refuse_size(part, holder);
    return target;
  }

  // Walks the path from the root; a reference on the way is resolved first.
  std::optional<Resolved> follow(const Part& part, const Holder& holder) {
    Value value = *root_;
    bool resolved = false;
    for (std::size_t end = 0; end < part.text.size(); ++end) {
      const std::size_t start = end;
      end = std::min(part.text.find('.', start), part.text.size());
      const Value* next = value.at_path(std::string_view(part.text).substr(start, end - start));
      if (!next || next->is_null()) return refuse_absent(part, holder);
      value = *next;
      const std::string path = part.text.substr(0, end);
      const bool last = end == part.text.size();
      if (resolved || !(last || (value.is_scalar() && has_reference(value)))) continue;
      if (is_open(path, part, holder)) return std::nullopt;
      Resolved target = resolve(value, path);
      if (failed_.count(path)) {  // told already
        left_.push_back(holder.value.at());
        return std::nullopt;
      }
      if (last) return target;
      value = std::move(target.value);
      resolved = true;
    }
    return Resolved{value, extent_of(value)};
  }

  bool is_open(const std::string& path, const Part& part, const Holder& holder) {
    const auto again = std::find(open_.begin(), open_.end(), path);
    if (again != open_.end()) {
      std::string chain;
      for (auto it = again; it != open_.end(); ++it) chain += *it + " -> ";
      refuse(part, holder, "refers to itself: " + chain + path);
    } else if (open_.size() > kChain + kYamlDepth) {
      refuse(part, holder, fmt::format("more than {} references in a row", kChain));
    } else {
      return false;
    }
    return true;
  }

  std::nullopt_t refuse_absent(const Part& part, const Holder& holder) {
    std::vector<std::string> paths;
    collect_paths(*root_, "", paths);
    const auto near = near_match(part.text, paths);
    return refuse(
        part, holder,
        fmt::format("nothing is set at {} (defaults of plugins do not count){}", quote(part.text),
                    near ? "; did you mean " + quote(*near) + "?" : ""));
  }

  std::nullopt_t refuse_size(const Part& part, const Holder& holder) {
    return refuse(part, holder, "references make the configuration larger than a file may be");
  }

  std::nullopt_t refuse(const Part& part, const Holder& holder, const std::string& message) {
    Location at = holder.value.at();
    // Exact for a plain text, and for a quoted one without escapes.
    const std::string_view before = std::string_view(holder.value.text()).substr(0, part.offset);
    if (at.column > 0 && before.find('\n') == std::string_view::npos)
      at.column += static_cast<int>(utf8_count(before)) + (holder.value.quoted() ? 1 : 0);
    problems_.add(at, fmt::format("{}: {}", holder.path, message));
    left_.push_back(holder.value.at());
    failed_.insert(holder.path);
    return std::nullopt;
  }

  const Value* root_;
  Problems& problems_;
  std::vector<Location>& left_;
  WrittenExtent taken_ = {0, 0, 0};  // by references, all together: they can grow like 2^n
  std::vector<std::string> open_;    // paths of what is being resolved, outermost first
  std::map<std::string, Resolved> known_;
  std::set<std::string> failed_;  // paths of texts that stay as they are
};

}  // namespace

Value interpolate(const Value& root, Problems& problems, std::vector<Location>& left) {
  if (!has_reference(root)) return root;
  return Resolver(&root, problems, left).resolve(root, "").value;
}

Value interpolate_environment(const Value& value, Problems& problems) {
  std::vector<Location> left;
  return Resolver(nullptr, problems, left).resolve(value, "defaults").value;
}

Value without_references(const Value& value) {
  if (!has_reference(value)) return value;
  if (value.is_scalar()) {
    std::string text;
    for (const char c : value.text()) {
      if (c == '{' && !text.empty() && text.back() == '$') text += '$';
      text += c;
    }
    return Value::scalar(std::move(text), value.quoted(), value.at());
  }
  if (value.is_list()) {
    std::vector<Value> items;
    for (const Value& item : value.items()) items.push_back(without_references(item));
    return Value::list(std::move(items), value.at());
  }
  std::vector<Value::Entry> entries;
  std::vector<Location> places;
  for (const auto& [key, entry] : value.entries()) {
    places.push_back(value.key_location(entries.size()));
    entries.emplace_back(key, without_references(entry));
  }
  return Value::map(std::move(entries), value.at(), std::move(places));
}

}  // namespace assay
