// A configuration as an immutable tree: null, scalar (text as written), list or map, each with its
// place.
//
//   Value root = read_yaml_file("gpt.yaml");
//   const Value* width = root.find("model")->find("width");   // "64" at gpt.yaml:6:27
//
// A Value is a cheap shared handle; changing a tree makes a new one (with, without), so that
// nothing an alias or another run shares can change. Typing happens where an option declares its
// type (config/options.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/api.h"

namespace assay {

/// What values are read from.
struct Source {
  std::string name;  // a file as the user named it, or "argument 'k=v'"
  std::string text;  // what it says, to show a line of; may be empty
};

/// Where a value was written.
struct ASSAY_API Location {
  std::shared_ptr<const Source> source;  // null: built in
  int line = 0,
      column = 0;  // counted from 1, columns in characters; 0: the whole; an argument has no line

  static Location of(std::string name) {
    return {std::make_shared<const Source>(Source{std::move(name), {}}), 0, 0};
  }
  std::string text() const;  // "gpt.yaml:6:27", "argument 'k=v':3"
  /// Written on the command line, not in a file.
  bool is_argument() const { return source && source->name.rfind("argument ", 0) == 0; }
};

class ASSAY_API Value {
 public:
  enum class Kind { null, scalar, list, map };
  using Entry = std::pair<std::string, Value>;  // key (its place: key_location) and value

  Value();  // null, of no place
  static Value null(Location at);
  /// quoted: never a number, a truth value or null.
  static Value scalar(std::string text, bool quoted, Location at);
  static Value list(std::vector<Value> items, Location at);
  /// Keys must be distinct. key_locations: one per entry, or empty.
  static Value map(std::vector<Entry> entries, Location at,
                   std::vector<Location> key_locations = {});

  Kind kind() const;
  bool is_null() const { return kind() == Kind::null; }
  bool is_scalar() const { return kind() == Kind::scalar; }
  bool is_list() const { return kind() == Kind::list; }
  bool is_map() const { return kind() == Kind::map; }

  const std::string& text() const;                // of a scalar, as written; else empty
  bool quoted() const;                            // of a scalar; else false
  const std::vector<Value>& items() const;        // of a list; else empty
  const std::vector<Entry>& entries() const;      // of a map, in the order written; else empty
  const Value* find(std::string_view key) const;  // in a map; null if absent or not a map
  std::optional<std::size_t> index_of(std::string_view key) const;  // of its entry in a map
  const Location& at() const;
  const Location& key_location(std::size_t entry) const;

  /// This map with an entry set or removed (order kept, new entries last).
  Value with(std::string_view key, Value value, Location key_at = {}) const;
  Value without(std::string_view key) const;

  /// The same for copies of one value, and for nothing else while they live.
  const void* identity() const { return node_.get(); }

  /// The value at a dotted path ("model.width", "list.0"), or null if there is none.
  const Value* at_path(std::string_view path) const;

 private:
  struct Node;
  explicit Value(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

/// Later wins: maps merge key by key, lists and scalars replace, null removes the key, and a map
/// with another `type` replaces the whole section. Where above is null as a whole (an empty file)
/// below stays.
ASSAY_API Value merge(const Value& below, const Value& above);

/// What a value is, for messages: "12", "true", "text \"fast\"", "a list of 3", "a map", "nothing".
ASSAY_API std::string describe(const Value& value);

}  // namespace assay
