#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"
#include "config/scalar.h"
#include "config/yaml.h"

namespace assay {
namespace {

constexpr std::size_t kLongestSimpleKey = 1000;  // YAML allows 1024 characters before the `:`

// Characters that readers of YAML take for line ends or drop although they are well-formed.
bool is_invisible(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
         c == 0xFFFE || c == 0xFFFF;
}

std::string in_double_quotes(std::string_view text) {
  std::string result = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = utf8_next(text, at);
    if (c == '"' || c == '\\')
      result += fmt::format("\\{}", static_cast<char>(c));
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (is_invisible(c))
      result += c < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(c))
                          : fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += text.substr(start, at - start);
  }
  return result += '"';
}

// Whether readers give this text back from plain style, in block and in flow context (where
// yaml-cpp ends it at `?`).
bool can_be_plain(std::string_view text) {
  if (reads_as_null(text) || text == "<<" || text == "=") return false;
  if (text.substr(0, 3) == "---" || text.substr(0, 3) == "...") return false;
  const char first = text.front();
  if (std::string_view("?:,[]{}#&*!|>'\"%@` ").find(first) != std::string_view::npos) return false;
  if (first == '-' && (text.size() == 1 || text[1] == ' ')) return false;
  if (text.back() == ' ' || text.back() == ':') return false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = utf8_next(text, at);
    if (is_invisible(c)) return false;
    if (std::string_view(",[]{}?").find(text[start]) != std::string_view::npos) return false;
    if (text.substr(start, 2) == ": " || text.substr(start, 2) == " #") return false;
  }
  return true;
}

std::string scalar_text(std::string_view text, bool quoted) {
  if (utf8_error(text) != std::string_view::npos)
    throw Error(ExitCode::usage,
                fmt::format("{} is not UTF-8 and cannot be written as YAML", quote(text)));
  return quoted || !can_be_plain(text) ? in_double_quotes(text) : std::string(text);
}

std::string key_text(const std::string& key) {
  return scalar_text(key, false);
}

void write_flow(const Value& value, std::string& out) {
  switch (value.kind()) {
    case Value::Kind::null:
      out += "null";
      return;
    case Value::Kind::scalar:
      out += scalar_text(value.text(), value.quoted());
      return;
    case Value::Kind::list: {
      out += '[';
      const char* separator = "";
      for (const Value& item : value.items()) {
        out += std::exchange(separator, ", ");
        write_flow(item, out);
      }
      out += ']';
      return;
    }
    case Value::Kind::map: {
      out += '{';
      const char* separator = "";
      for (const auto& [key, item] : value.entries()) {
        out += std::exchange(separator, ", ");
        const std::string text = key_text(key);
        if (text.size() > kLongestSimpleKey) out += "? ";
        out += text + ": ";
        write_flow(item, out);
      }
      out += '}';
      return;
    }
  }
}

// Writes value where the line already holds its indentation; ends with a line feed.
void write_block(const Value& value, std::size_t indent, std::string& out) {
  const bool is_block = !value.items().empty() || !value.entries().empty();
  if (!is_block) {
    write_flow(value, out);
    out += '\n';
    return;
  }
  bool first = true;
  const auto start_line = [&] {
    if (!std::exchange(first, false)) out.append(indent, ' ');
  };
  for (const Value& item : value.items()) {
    start_line();
    out += "- ";
    write_block(item, indent + 2, out);
  }
  for (const auto& [key, item] : value.entries()) {
    start_line();
    const std::string text = key_text(key);
    if (text.size() > kLongestSimpleKey) {
      out += "? " + text + '\n';
      out.append(indent, ' ');
    } else {
      out += text;
    }
    out += ':';
    if (item.items().empty() && item.entries().empty()) {
      out += ' ';
    } else {
      out += '\n';
      out.append(indent + 2, ' ');
    }
    write_block(item, indent + 2, out);
  }
}

}  // namespace

std::string write_yaml(const Value& value) {
  std::string out;
  write_block(value, 0, out);
  return out;
}

std::string write_yaml_flow(const Value& value) {
  std::string out;
  write_flow(value, out);
  return out;
}

}  // namespace assay
