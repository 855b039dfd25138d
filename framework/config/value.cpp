#include "config/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/text.h"
#include "config/scalar.h"

namespace assay {

std::string Location::text() const {
  const std::string name = source ? source->name : std::string();
  if (line > 0) return fmt::format("{}:{}:{}", name, line, column);
  return column > 0 ? fmt::format("{}:{}", name, column) : name;
}

struct Value::Node {
  Kind kind = Kind::null;
  bool is_quoted = false;
  Location at;
  std::string text;
  std::vector<Value> items;
  std::vector<Entry> entries;
  std::vector<Location> key_locations;  // as many as entries
  std::vector<std::uint32_t> by_key;    // entries sorted by key, in large maps only
};

namespace {

constexpr std::size_t kIndexedFrom = 16;  // below that, looking at every key is quicker

}  // namespace

Value::Value() {
  static const std::shared_ptr<const Node> nothing = std::make_shared<Node>();
  node_ = nothing;
}

Value Value::null(Location at) {
  auto node = std::make_shared<Node>();
  node->at = std::move(at);
  return Value(std::move(node));
}

Value Value::scalar(std::string text, bool quoted, Location at) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::scalar;
  node->is_quoted = quoted;
  node->text = std::move(text);
  node->at = std::move(at);
  return Value(std::move(node));
}

Value Value::list(std::vector<Value> items, Location at) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::list;
  node->items = std::move(items);
  node->at = std::move(at);
  return Value(std::move(node));
}

Value Value::map(std::vector<Entry> entries, Location at, std::vector<Location> key_locations) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::map;
  node->entries = std::move(entries);
  node->at = std::move(at);
  node->key_locations = std::move(key_locations);
  node->key_locations.resize(node->entries.size());
  if (node->entries.size() >= kIndexedFrom) {
    node->by_key.resize(node->entries.size());
    std::iota(node->by_key.begin(), node->by_key.end(), 0u);
    std::sort(node->by_key.begin(), node->by_key.end(), [&](std::uint32_t a, std::uint32_t b) {
      return node->entries[a].first < node->entries[b].first;
    });
  }
  return Value(std::move(node));
}

Value::Kind Value::kind() const {
  return node_->kind;
}
const std::string& Value::text() const {
  return node_->text;
}
bool Value::quoted() const {
  return node_->is_quoted;
}
const std::vector<Value>& Value::items() const {
  return node_->items;
}
const std::vector<Value::Entry>& Value::entries() const {
  return node_->entries;
}
const Location& Value::at() const {
  return node_->at;
}
const Location& Value::key_location(std::size_t entry) const {
  return node_->key_locations[entry];
}

std::optional<std::size_t> Value::index_of(std::string_view key) const {
  const auto& entries = node_->entries;
  const auto& by_key = node_->by_key;
  if (!by_key.empty()) {
    const auto found = std::lower_bound(
        by_key.begin(), by_key.end(), key,
        [&](std::uint32_t i, std::string_view wanted) { return entries[i].first < wanted; });
    if (found == by_key.end() || entries[*found].first != key) return std::nullopt;
    return *found;
  }
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].first == key) return i;
  return std::nullopt;
}

const Value* Value::find(std::string_view key) const {
  const auto index = index_of(key);
  return index ? &node_->entries[*index].second : nullptr;
}

Value Value::with(std::string_view key, Value value, Location key_at) const {
  auto entries = node_->entries;
  auto places = node_->key_locations;
  if (const auto index = index_of(key)) {
    entries[*index].second = std::move(value);
    places[*index] = std::move(key_at);
  } else {
    entries.emplace_back(key, std::move(value));
    places.push_back(std::move(key_at));
  }
  return map(std::move(entries), node_->at, std::move(places));
}

Value Value::without(std::string_view key) const {
  const auto index = index_of(key);
  if (!index) return *this;
  auto entries = node_->entries;
  auto places = node_->key_locations;
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(*index));
  places.erase(places.begin() + static_cast<std::ptrdiff_t>(*index));
  return map(std::move(entries), node_->at, std::move(places));
}

const Value* Value::at_path(std::string_view path) const {
  const Value* value = this;
  while (true) {
    const std::size_t dot = path.find('.');
    const std::string_view step = path.substr(0, dot);
    if (value->is_list()) {
      const auto index = list_index(step, value->items().size());
      value = index ? &value->items()[*index] : nullptr;
    } else {
      value = value->find(step);
    }
    if (!value || dot == std::string_view::npos) return value;
    path.remove_prefix(dot + 1);
  }
}

Value merge(const Value& below, const Value& above) {
  if (above.is_null()) return below;
  if (!below.is_map() || !above.is_map()) return above;
  const Value* old_type = below.find("type");
  const Value* new_type = above.find("type");
  if (old_type && new_type && old_type->text() != new_type->text()) return above;

  std::vector<Value::Entry> entries;
  std::vector<Location> places;
  const auto put = [&](const std::string& key, Value value, const Location& place) {
    entries.emplace_back(key, std::move(value));
    places.push_back(place);
  };
  for (std::size_t i = 0; i < below.entries().size(); ++i) {
    const auto& [key, value] = below.entries()[i];
    const auto index = above.index_of(key);
    if (!index) {
      put(key, value, below.key_location(i));
    } else if (const Value& newer = above.entries()[*index].second; !newer.is_null()) {
      put(key, merge(value, newer), above.key_location(*index));
    }
  }
  for (std::size_t i = 0; i < above.entries().size(); ++i) {
    const auto& [key, value] = above.entries()[i];
    if (!value.is_null() && !below.find(key)) put(key, value, above.key_location(i));
  }
  return Value::map(std::move(entries), above.at(), std::move(places));
}

std::string describe(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::null:
      return "nothing";
    case Value::Kind::list:
      return fmt::format("a list of {}", value.items().size());
    case Value::Kind::map:
      return "a map";
    case Value::Kind::scalar:
      break;
  }
  if (!value.quoted() && reads_as_other_than_text(value.text())) return value.text();
  return "text " + double_quote(value.text());
}

}  // namespace assay
