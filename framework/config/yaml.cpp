#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <fmt/format.h>

#include <istream>
#include <streambuf>
#include <unordered_map>

#include "base/text.h"
#include "config/references.h"
#include "config/scalar.h"
#include "config/yaml_parser.h"
#include "config/yaml_text.h"

namespace assay {
namespace {

// What a value takes with all its aliases expanded.
struct Extent {
  std::size_t nodes = 1, bytes = 0;
  int height = 0;  // of lists and maps inside each other
};

// A list or map that is being read.
struct Frame {
  struct Entry {
    std::string key;
    Value value;
    Location key_at;
    bool merges = false;  // the key is a plain <<
  };
  bool is_map = false;
  std::size_t offset = 0;
  Location at;
  YAML::anchor_t anchor = 0;
  Extent extent;
  std::vector<Value> items;
  std::vector<Entry> entries;
  std::unordered_map<std::string, Location> keys;
  std::optional<Entry> key;  // read, its value not yet
  std::size_t key_offset = 0;
  bool skips = false;  // the next value belongs to a key that was refused
};

// Hands the text to yaml-cpp piece by piece, and stops where it reads on and on without telling of
// a value: it keeps some 300 bytes per bracket or comma of an outermost [ ] or { } until that is
// closed.
class PacedText final : public std::streambuf {
 public:
  explicit PacedText(std::string& text) : text_(text) {
    setg(text.data(), text.data(), text.data());
  }
  void value_seen() { signs_ = 0; }
  bool stopped() const { return signs_ > kSigns; }

  static constexpr std::size_t kSigns = 500'000;

 private:
  int_type underflow() override {
    constexpr std::size_t kPiece = 4096;
    const std::string_view piece =
        std::string_view(text_).substr(static_cast<std::size_t>(gptr() - eback()), kPiece);
    for (const char c : piece)
      signs_ += std::string_view("[]{},").find(c) != std::string_view::npos;
    if (piece.empty() || stopped()) return traits_type::eof();
    setg(eback(), gptr(), gptr() + piece.size());
    return traits_type::to_int_type(piece.front());
  }

  std::string& text_;
  std::size_t signs_ = 0;
};

bool is_map_or_maps(const Value& value) {
  for (const Value& item : value.items())
    if (!item.is_map()) return false;
  return value.is_map() || value.is_list();
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  /// hides: references in text are hidden (config/references.h).
  TreeBuilder(std::string_view text, bool hides, PacedText& paced, const Location& start,
              Problems& problems)
      : text_(text), hides_(hides), paced_(paced), places_(text, start), problems_(problems) {}

  const Value& root() const { return root_; }

  YamlFault fault(const YAML::Exception& e) {
    const std::string_view message = e.msg;
    std::size_t at = offset(e.mark);
    if (message.find("flow not found") !=
        std::string_view::npos) {  // better where it opens than where the text ends
      for (const Frame& frame : stack_)
        if (const auto sign = text_.substr(frame.offset, 1); sign == "[" || sign == "{")
          at = frame.offset;
    } else if (message.substr(0, 14) == "unknown escape") {
      at -= std::min<std::size_t>(at, 2);  // yaml-cpp points behind it
    }
    return {places_.at(at), yaml_complaint(message)};
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!started_) {
      started_ = true;
      return;
    }
    const std::size_t at = offset(mark);
    throw YamlFault{
        places_.at(at),
        text_.substr(at, 3) == "---"
            ? "a second document; keep one, and remove the rest from this '---' on"
            : "this does not belong to the document above; check the indentation and quotes"};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t at = offset(mark);
    const std::string_view token = text_.substr(at, text_.find_first_of(" \t\n,]}#:", at) - at);
    const bool written = !token.empty() && reads_as_null(token);
    Location place = places_.at(at);
    if (!stack_.empty() && anchor == 0) {
      Frame& top = stack_.back();
      if (top.is_map && top.key && (!written || at == top.key_offset)) {
        // yaml-cpp then points at whatever comes next.
        const std::size_t length = at - std::min(at, top.key_offset);
        if (text_.substr(top.key_offset, length).find(':') == std::string_view::npos)
          problems_.add(top.key->key_at,
                        quote(top.key->key) + " has no value: a ':' is missing after it");
        place = top.key->key_at;
      } else if (!top.is_map && !written &&
                 (text_.substr(at, 1) == "," || text_.substr(at, 1) == "]")) {
        problems_.add(place, "nothing stands between the commas; write a value, or null");
      }
    }
    finish(Value::null(std::move(place)), Extent{}, anchor, at);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t at = offset(mark);
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw YamlFault{places_.at(at),
                      "an alias inside the value that it stands for; it would never end"};
    const auto& [value, extent] = found->second;
    count(extent, at);
    finish(value, extent, 0, at, /*counted=*/true);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::size_t at = content(mark, tag);
    std::string text = hides_ ? show_references(value) : value;
    if (at < text_.size() && (text_[at] == '"' || text_[at] == '\'') && !is_closed(at))
      throw YamlFault{places_.at(at), yaml_complaint("illegal EOF in scalar")};
    const std::size_t size = text.size();
    finish(Value::scalar(std::move(text), tag == "!", places_.at(at)), Extent{1, size, 0}, anchor,
           at);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(false, content(mark, tag), anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(true, content(mark, tag), anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  std::size_t offset(const YAML::Mark& mark) const {
    return mark.pos < 0 ? 0 : std::min(static_cast<std::size_t>(mark.pos), text_.size());
  }

  // Where the value itself starts, behind its anchor. yaml-cpp reports `!` on plain text as it
  // reports quotes, so that a tag is looked for in the text.
  std::size_t content(const YAML::Mark& mark, const std::string& tag) {
    std::size_t at = offset(mark);
    const auto skip_to = [&](std::size_t next) { at = std::min(next, text_.size()); };
    if (text_.substr(at, 1) == "&") skip_to(text_.find_first_of(" \t\n", at));
    while (true) {
      skip_to(text_.find_first_not_of(" \t\n", at));
      if (text_.substr(at, 1) != "#") break;
      skip_to(text_.find('\n', at));
    }
    if ((tag != "?" && tag != "!" && !tag.empty()) || text_.substr(at, 1) == "!")
      problems_.add(places_.at(at), "tags are refused; remove '!', or put the text in quotes");
    return at;
  }

  // Whether the quote at this place has its second one: yaml-cpp takes the end of the text for it.
  bool is_closed(std::size_t at) const {
    const char mark = text_[at];
    for (++at; at < text_.size(); ++at) {
      if (mark == '"' && text_[at] == '\\')
        ++at;
      else if (text_[at] == mark) {
        if (mark == '"' || text_.substr(at + 1, 1) != "'") return true;
        ++at;
      }
    }
    return false;
  }

  void count(const Extent& extent, std::size_t at) {
    paced_.value_seen();
    nodes_ += extent.nodes;
    bytes_ += extent.bytes;
    if (nodes_ > static_cast<std::size_t>(kYamlNodes))
      throw YamlFault{
          places_.at(at),
          fmt::format("more than {} keys and values, aliases counted as what they stand for; "
                      "a configuration needs far fewer",
                      human_count(kYamlNodes))};
    if (bytes_ > kYamlBytes)
      throw YamlFault{places_.at(at),
                      fmt::format("more than {} of text, aliases counted as what they stand for",
                                  human_bytes(static_cast<double>(kYamlBytes)))};
    if (static_cast<int>(stack_.size()) + extent.height > kYamlDepth)
      throw YamlFault{places_.at(at), fmt::format("lists and maps more than {} deep", kYamlDepth)};
  }

  void open(bool is_map, std::size_t at, YAML::anchor_t anchor) {
    count(Extent{1, 0, 1}, at);
    Frame frame;
    frame.is_map = is_map;
    frame.offset = at;
    frame.at = places_.at(at);
    frame.anchor = anchor;
    frame.extent.height = 1;
    stack_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    Value value = frame.is_map ? map_of(frame) : Value::list(std::move(frame.items), frame.at);
    finish(std::move(value), frame.extent, frame.anchor, 0, /*counted=*/true);
  }

  // The value is complete: it is the root, an item, a key, or the value of the last key.
  void finish(Value value, const Extent& extent, YAML::anchor_t anchor, std::size_t at,
              bool counted = false) {
    if (!counted) count(extent, at);
    if (anchor != 0) anchors_[anchor] = {value, extent};
    if (stack_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& top = stack_.back();
    top.extent.nodes += extent.nodes;
    top.extent.bytes += extent.bytes;
    top.extent.height = std::max(top.extent.height, extent.height + 1);
    if (!top.is_map) {
      top.items.push_back(std::move(value));
    } else if (top.skips) {
      top.skips = false;
    } else if (!top.key) {
      take_key(top, value, at);
    } else {
      top.key->value = std::move(value);
      if (top.key->merges && !is_map_or_maps(top.key->value))
        problems_.add(top.key->key_at, fmt::format("'<<' merges a map or a list of maps; got {}",
                                                   describe(top.key->value)));
      else
        top.entries.push_back(*std::move(top.key));
      top.key.reset();
    }
  }

  void take_key(Frame& top, const Value& key, std::size_t at) {
    if (!key.is_scalar()) {
      problems_.add(key.at(), fmt::format("a key must be text; got {}{}", describe(key),
                                          key.is_null() ? " (put it in quotes)" : ""));
      top.skips = true;
      return;
    }
    const auto [first, fresh] = top.keys.emplace(key.text(), key.at());
    if (!fresh) {
      problems_.add(key.at(), fmt::format("{} stands here a second time; first at {}; keep one",
                                          quote(key.text()), first->second.text()));
      top.skips = true;
      return;
    }
    top.key = Frame::Entry{key.text(), {}, key.at(), key.text() == "<<" && !key.quoted()};
    top.key_offset = at;
  }

  // Own keys win over merged ones, wherever they stand; of merged maps the earlier wins.
  static Value map_of(Frame& frame) {
    std::vector<Value::Entry> entries;
    std::vector<Location> places;
    const auto merge_in = [&](const Value& map) {
      for (std::size_t i = 0; i < map.entries().size(); ++i) {
        const auto& [key, value] = map.entries()[i];
        if (!frame.keys.emplace(key, Location{}).second) continue;
        entries.emplace_back(key, value);
        places.push_back(map.key_location(i));
      }
    };
    for (Frame::Entry& entry : frame.entries) {
      if (!entry.merges) {
        entries.emplace_back(std::move(entry.key), std::move(entry.value));
        places.push_back(std::move(entry.key_at));
      } else if (entry.value.is_map()) {
        merge_in(entry.value);
      } else {
        for (const Value& map : entry.value.items()) merge_in(map);
      }
    }
    return Value::map(std::move(entries), frame.at, std::move(places));
  }

  std::string_view text_;
  bool hides_;
  PacedText& paced_;
  YamlPlaces places_;
  Problems& problems_;
  Value root_;
  bool started_ = false;
  std::size_t nodes_ = 0, bytes_ = 0;
  std::vector<Frame> stack_;
  std::unordered_map<YAML::anchor_t, std::pair<Value, Extent>> anchors_;
};

}  // namespace

std::optional<Value> parse_yaml(std::string_view bytes, const Location& start, Problems& problems) {
  Problems found;  // left out where the text is no YAML: then they may be yaml-cpp's guesses
  try {
    const std::string written = yaml_characters(bytes, start);
    std::string text = hide_references(written);
    PacedText paced(text);
    TreeBuilder builder(text, text != written, paced, start, found);
    const auto check_pace = [&] {
      if (paced.stopped())
        throw YamlFault{
            {start.source, 0, 0},
            fmt::format(
                "more than {} brackets and commas in one value; put data in a file of its own",
                human_count(PacedText::kSigns))};
    };
    try {
      std::istream in(&paced);
      YAML::Parser parser(in);
      // A second document throws from OnDocumentStart, so that this ends (yaml-cpp can find
      // documents forever).
      while (parser.HandleNextDocument(builder)) {
      }
    } catch (const YAML::Exception& e) {
      check_pace();
      throw builder.fault(e);
    }
    check_pace();
    for (const Problem& problem : found.list()) problems.add(problem.at, problem.message);
    return builder.root();
  } catch (const YamlFault& fault) {
    problems.add(fault.at, fault.message);
    return std::nullopt;
  }
}

}  // namespace assay
