#include "data/bpe_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"
#include "io/read_file.h"

namespace assay {
namespace {

constexpr std::size_t kBytes = 256;

[[noreturn]] void fail(const std::string& file, std::int64_t line, std::string_view what) {
  throw Error(ExitCode::data, fmt::format("{}:{}: {}", file, line, what));
}

// Lines without their ends, of LF or CR LF.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  std::int64_t number() const { return number_; }
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return line;
  }

 private:
  std::string_view rest_;
  std::int64_t number_ = 0;
};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

struct Entry {
  std::string bytes;
  std::int64_t id = 0, line = 0;
};

// Pieces by id. Ids that are missing have no bytes: other files give them to special tokens.
std::vector<std::string> by_id(std::vector<Entry>& entries, const std::string& file) {
  const auto limit = static_cast<std::int64_t>(2 * entries.size() + kBytes);
  std::vector<std::string> pieces;
  std::unordered_map<std::string_view, std::int64_t> lines;
  for (const Entry& entry : entries) {
    if (entry.bytes.empty()) fail(file, entry.line, "a token without bytes");
    if (entry.id >= limit)
      fail(file, entry.line,
           fmt::format("id {} for one of {} tokens: wanted ids from 0 on with few gaps", entry.id,
                       entries.size()));
    const auto [known, fresh] = lines.emplace(entry.bytes, entry.line);
    if (!fresh)
      fail(file, entry.line,
           fmt::format("token {} stands in line {} already", quote(entry.bytes), known->second));
    const auto id = static_cast<std::size_t>(entry.id);
    if (id >= pieces.size()) pieces.resize(id + 1);
    if (!pieces[id].empty()) fail(file, entry.line, fmt::format("id {} is taken already", id));
    pieces[id] = entry.bytes;
  }
  return pieces;
}

// One JSON object from texts to whole numbers: all that vocab.json may hold. config/json.h keeps
// the place of each value, which is too slow for 50,000 of them.
class FlatJson {
 public:
  FlatJson(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<Entry> read() {
    std::vector<Entry> entries;
    expect('{');
    if (!accept('}')) {
      do {
        space();
        Entry entry;
        entry.line = line_;
        entry.bytes = string();
        expect(':');
        entry.id = number();
        entries.push_back(std::move(entry));
      } while (accept(','));
      expect('}');
    }
    space();
    if (at_ != text_.size()) wanted("nothing behind the object");
    return entries;
  }

 private:
  [[noreturn]] void wanted(std::string_view what) const {
    const std::string_view rest = text_.substr(at_, 20);
    fail(file_, line_,
         fmt::format("wanted {}, got {}; this is not the vocab.json of a GPT-2 vocabulary, which "
                     "is {{\"token\": id, ...}}",
                     what, rest.empty() ? "the end of the file" : quote(rest)));
  }
  void space() {
    for (; at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos; ++at_)
      if (text_[at_] == '\n') ++line_;
  }
  bool accept(char c) {
    space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) wanted(quote(std::string_view(&c, 1)));
  }
  std::int64_t number() {
    space();
    std::size_t end = at_;
    while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
    const auto number = whole_number(text_.substr(at_, end - at_));
    if (!number) wanted("an id");
    at_ = end;
    return *number;
  }
  std::uint32_t four_digits() {
    std::uint32_t code = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc() || digits.size() != 4 || end != digits.data() + 4)
      wanted("four hexadecimal digits");
    at_ += 4;
    return code;
  }
  char32_t unicode_escape() {
    const std::uint32_t high = four_digits();
    if (high < 0xD800 || high > 0xDFFF) return high;
    if (high > 0xDBFF || text_.substr(at_, 2) != "\\u") wanted("the second half of a character");
    at_ += 2;
    const std::uint32_t low = four_digits();
    if (low < 0xDC00 || low > 0xDFFF) wanted("the second half of a character");
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }
  std::string string() {
    expect('"');
    std::string value;
    while (true) {
      if (at_ == text_.size() || static_cast<unsigned char>(text_[at_]) < 0x20) wanted("'\"'");
      const char c = text_[at_++];
      if (c == '"') return value;
      if (c != '\\') {
        value += c;
        continue;
      }
      constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
      if (at_ == text_.size()) wanted("an escape");
      const char escape = text_[at_++];
      const std::size_t known = kEscapes.find(escape);
      if (known != kEscapes.npos)
        value += kMeanings[known];
      else if (escape == 'u')
        utf8_append(value, unicode_escape());
      else
        wanted("an escape");
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
};

// The bytes that stand for themselves: printable, and no soft hyphen.
constexpr bool shows_itself(std::size_t byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
}

// Back from the characters that GPT-2's files write for bytes.
class ByteCharacters {
 public:
  ByteCharacters() {
    std::size_t next = kBytes;
    for (std::size_t byte = 0; byte < kBytes; ++byte)
      bytes_[shows_itself(byte) ? byte : next++] = static_cast<std::int16_t>(byte);
  }
  /// Nothing if a character stands for no byte.
  std::optional<std::string> bytes(std::string_view text) const {
    if (utf8_error(text) != std::string_view::npos) return std::nullopt;
    std::string bytes;
    for (std::size_t at = 0; at < text.size();) {
      const auto character = static_cast<std::size_t>(utf8_next(text, at));
      if (character >= bytes_.size() || bytes_[character] < 0) return std::nullopt;
      bytes += static_cast<char>(bytes_[character]);
    }
    return bytes;
  }

 private:
  static constexpr std::size_t kShifted = 68;
  std::array<std::int16_t, kBytes + kShifted> bytes_ = [] {
    std::array<std::int16_t, kBytes + kShifted> none{};
    none.fill(-1);
    return none;
  }();
};

std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == kDigits.npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFFu);
  }
  return bytes;
}

}  // namespace

Bpe parse_gpt2_files(std::string_view vocabulary, const std::string& vocabulary_name,
                     std::string_view merges, const std::string& merges_name) {
  const ByteCharacters characters;
  std::vector<Entry> entries = FlatJson(vocabulary, vocabulary_name).read();
  for (Entry& entry : entries) {
    auto bytes = characters.bytes(entry.bytes);
    // Special tokens may be written as they are.
    if (bytes) entry.bytes = std::move(*bytes);
  }
  std::vector<std::string> pieces = by_id(entries, vocabulary_name);
  std::unordered_map<std::string_view, std::int32_t> ids;
  for (std::size_t id = 0; id < pieces.size(); ++id)
    ids.emplace(pieces[id], static_cast<std::int32_t>(id));

  std::vector<Merge> made;
  Lines lines(merges);
  while (const auto line = lines.next()) {
    if (line->empty() || (lines.number() == 1 && line->starts_with("#version"))) continue;
    const std::size_t space = line->find(' ');
    const auto id = [&](const std::string& bytes) {
      const auto found = ids.find(bytes);
      if (found == ids.end())
        fail(merges_name, lines.number(),
             fmt::format("{} is no token of {}", quote(bytes), vocabulary_name));
      return found->second;
    };
    const auto left = characters.bytes(line->substr(0, space));
    const auto right =
        space == line->npos ? std::nullopt : characters.bytes(line->substr(space + 1));
    if (!left || !right || left->empty() || right->empty())
      fail(merges_name, lines.number(),
           fmt::format("wanted two tokens with a space between, got {}", quote(*line)));
    made.push_back({id(*left), id(*right), id(*left + *right)});
  }
  Bpe bpe(std::move(pieces), std::move(made));
  byte_ids(bpe, vocabulary_name);
  return bpe;
}

Bpe parse_rank_file(std::string_view text, const std::string& name) {
  std::vector<Entry> entries;
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (line->empty()) continue;
    const std::size_t space = line->find(' ');
    const auto bytes = from_base64(line->substr(0, space));
    const auto rank = space == line->npos ? std::nullopt : whole_number(line->substr(space + 1));
    if (!bytes || !rank)
      fail(name, lines.number(),
           fmt::format("wanted a token in base64, a space and its rank, got {}", quote(*line)));
    entries.push_back({*bytes, *rank, lines.number()});
  }
  Bpe bpe = Bpe::ranked(by_id(entries, name));
  byte_ids(bpe, name);
  return bpe;
}

Bpe read_gpt2_files(const std::filesystem::path& vocabulary, const std::filesystem::path& merges) {
  return parse_gpt2_files(read_file(vocabulary), vocabulary.string(), read_file(merges),
                          merges.string());
}

Bpe read_rank_file(const std::filesystem::path& file) {
  return parse_rank_file(read_file(file), file.string());
}

std::array<std::int32_t, 256> byte_ids(const Bpe& bpe, const std::string& where) {
  std::array<std::int32_t, kBytes> ids{};
  ids.fill(-1);
  for (std::size_t id = 0; id < bpe.pieces().size(); ++id)
    if (const std::string& piece = bpe.pieces()[id]; piece.size() == 1)
      ids[static_cast<unsigned char>(piece[0])] = static_cast<std::int32_t>(id);
  const auto missing = std::find(ids.begin(), ids.end(), -1);
  if (missing != ids.end())
    throw Error(ExitCode::data,
                fmt::format("{}: byte 0x{:02X} has no token, so that some texts could not be "
                            "encoded; wanted the vocabulary of a byte-level encoding",
                            where, missing - ids.begin()));
  return ids;
}

}  // namespace assay
