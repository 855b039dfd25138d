#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/utf8.h"

namespace assay {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string quoted(std::string_view text, std::size_t longest, char mark) {
  std::string result(1, mark);
  std::size_t characters = 0, at = 0;
  for (; at < text.size() && characters < longest; ++characters) {
    const auto byte = static_cast<unsigned char>(text[at]);
    // The shortest well-formed piece that starts here, 4 bytes at most.
    const std::size_t bad = utf8_error(text.substr(at, 4));
    if (byte < 0x20 || byte == 0x7F || bad == 0) {
      result += byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : fmt::format("\\x{:02x}", byte);
      ++at;
    } else {
      const std::size_t start = at;
      utf8_next(text, at);
      result += text.substr(start, at - start);
    }
  }
  if (at < text.size()) result += "...";
  return result += mark;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table: distances of prefixes of a (two before, one before, this) to all
  // prefixes of b.
  std::vector<std::size_t> two(b.size() + 1), one(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two.swap(one);
    one.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = one[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({one[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> near_match(std::string_view name,
                                      const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestName = 100;  // nobody misspells a name into something longer
  if (name.size() > kLongestName) return std::nullopt;
  const std::string wanted = lower(name);
  std::optional<std::string> best;
  std::size_t least = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    const std::size_t longer = std::max(wanted.size(), candidate.size());
    const std::size_t shorter = std::min(wanted.size(), candidate.size());
    const bool near = distance <= std::max<std::size_t>(1, longer / 3) && distance < shorter;
    if (near && (!best || distance < least)) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

std::string join(const std::vector<std::string>& items, std::string_view last_word) {
  std::string result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) result += i + 1 == items.size() ? fmt::format(" {} ", last_word) : ", ";
    result += items[i];
  }
  return result;
}

std::string quote(std::string_view text, std::size_t longest) {
  return quoted(text, longest, '\'');
}

std::string double_quote(std::string_view text, std::size_t longest) {
  return quoted(text, longest, '"');
}

std::string human_bytes(double bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  // 1023.95 would round to 1024.0 of the smaller unit.
  for (; bytes >= 1023.95 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  const double rounded = std::round(bytes * 10) / 10;
  return fmt::format("{:.{}f} {}", rounded, rounded == std::floor(rounded) ? 0 : 1, units[unit]);
}

std::string human_count(std::int64_t count) {
  std::string text = fmt::format("{}", count);
  const std::size_t sign = count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > sign + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string human_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const double whole = std::round(seconds);
  const auto parts = [whole](double large, double small) {
    return std::pair(std::floor(whole / large), std::floor(std::fmod(whole, large) / small));
  };
  if (whole < 3600)
    return fmt::format("{:.0f} min {:02.0f} s", parts(60, 1).first, parts(60, 1).second);
  if (whole < 86400)
    return fmt::format("{:.0f} h {:02.0f} min", parts(3600, 60).first, parts(3600, 60).second);
  return fmt::format("{:.0f} d {:02.0f} h", parts(86400, 3600).first, parts(86400, 3600).second);
}

}  // namespace assay
