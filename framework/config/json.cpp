#include "config/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "config/yaml_text.h"

namespace assay {
namespace {

// Reads characters and counts them for the tree that is built meanwhile.
class Counted {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Counted(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  Counted& operator++() {
    ++at_;
    if (count_) ++*count_;
    return *this;
  }
  bool operator==(const Counted& other) const { return at_ == other.at_; }
  bool operator!=(const Counted& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* count_;
};

struct Open {
  bool is_map = false;
  Location at;
  std::vector<Value> items;
  std::vector<Value::Entry> entries;
  std::vector<Location> places;
  std::unordered_set<std::string> keys;
  std::string key;
};

// Events of the reader to a tree. A token starts at the first sign behind the one before.
class JsonBuilder {
 public:
  JsonBuilder(std::string_view text, const Location& start, const std::size_t& read,
              Problems& problems)
      : text_(text), start_(start), read_(read), problems_(problems) {}

  Value root;

  bool null() { return add(Value::null(token())); }
  bool boolean(bool truth) { return add(Value::scalar(truth ? "true" : "false", false, token())); }
  bool number_integer(std::int64_t) { return number(); }
  bool number_unsigned(std::uint64_t) { return number(); }
  bool number_float(double, const std::string&) { return number(); }
  bool string(std::string& text) { return add(Value::scalar(std::move(text), true, token())); }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // never in JSON

  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool key(std::string& name) {
    Open& top = open_.back();
    const Location at = token();
    if (!top.keys.insert(name).second) {
      problems_.add(at, quote(name) + " stands here a second time; keep one");
      return false;
    }
    top.key = std::move(name);
    top.places.push_back(at);
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool parse_error(std::size_t position, const std::string& last,
                   const nlohmann::json::exception& error) {
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) {
      problems_.add(token(), "a number outside the range of double precision");
      return false;
    }
    // Of a word or number that is out of place the position is behind it.
    const bool is_word =
        !last.empty() && std::string_view(",:[]{}").find(last.back()) == std::string_view::npos;
    const bool out_of_place =
        is_word && std::string_view(error.what()).find("- unexpected ") != std::string_view::npos;
    const std::size_t back = out_of_place ? last.size() : 1;
    const std::size_t offset = position - std::min(position, back);
    problems_.add(place(offset),
                  offset >= text_.size()
                      ? std::string("the JSON ends too early: a bracket or quote is not closed")
                      : "this is not JSON: text stands in double quotes, as in [1, \"a\", true, "
                        "{\"width\": 64}]");
    return false;
  }

 private:
  // Offsets only grow but for the last error: what was counted once is not counted again.
  Location place(std::size_t offset) {
    offset = std::min(offset, text_.size());
    if (offset < counted_) counted_ = characters_ = 0;
    characters_ += utf8_count(text_.substr(counted_, offset - counted_));
    counted_ = std::max(counted_, offset);
    return {start_.source, 0, start_.column + static_cast<int>(characters_)};
  }

  // The place of the token that was just read, and moves behind it.
  Location token() {
    const std::size_t first = std::min(text_.find_first_not_of(" \t\n\r,:", end_), text_.size());
    end_ = std::max(read_, first);
    return place(first);
  }

  bool number() {
    const std::size_t first = std::min(text_.find_first_not_of(" \t\n\r,:", end_), text_.size());
    // The reader has looked one sign further, to see where the number ends.
    end_ = std::min(text_.find_first_not_of("+-.0123456789eE", first), text_.size());
    return add(Value::scalar(std::string(text_.substr(first, end_ - first)), false, place(first)));
  }

  bool open(bool is_map) {
    const Location at = token();
    if (open_.size() >= static_cast<std::size_t>(kYamlDepth)) {
      problems_.add(at, fmt::format("lists and maps more than {} deep", kYamlDepth));
      return false;
    }
    open_.push_back({is_map, at, {}, {}, {}, {}, {}});
    return true;
  }

  bool close() {
    token();
    Open top = std::move(open_.back());
    open_.pop_back();
    return add(top.is_map ? Value::map(std::move(top.entries), top.at, std::move(top.places))
                          : Value::list(std::move(top.items), top.at));
  }

  bool add(Value value) {
    if (++nodes_ > kYamlNodes) {
      problems_.add(value.at(), fmt::format("more than {} keys and values; a configuration needs "
                                            "far fewer",
                                            human_count(kYamlNodes)));
      return false;
    }
    if (open_.empty()) {
      root = std::move(value);
    } else if (Open& top = open_.back(); top.is_map) {
      top.entries.emplace_back(std::move(top.key), std::move(value));
    } else {
      top.items.push_back(std::move(value));
    }
    return true;
  }

  std::string_view text_;
  const Location& start_;
  const std::size_t& read_;
  Problems& problems_;
  std::size_t end_ = 0;  // behind the last token
  std::size_t counted_ = 0, characters_ = 0;
  std::int64_t nodes_ = 0;
  std::vector<Open> open_;
};

}  // namespace

std::optional<Value> parse_json(std::string_view text, const Location& start, Problems& problems) {
  std::size_t read = 0;
  JsonBuilder builder(text, start, read, problems);
  const Counted first(text.data(), &read), last(text.data() + text.size(), nullptr);
  if (!nlohmann::json::sax_parse(first, last, &builder)) return std::nullopt;
  return builder.root;
}

}  // namespace assay
