#include "config/references.h"

#include <algorithm>
#include <utility>

namespace assay {
namespace {

constexpr std::string_view kEnvironment = "env:";

// Characters that no text has: U+FDD0 and the next are kept free by Unicode.
constexpr std::string_view kSigns = "{}[],";
constexpr std::string_view kFirstBytes = "\xEF\xB7";
constexpr unsigned char kLastByte = 0x90;

std::string stand_in(std::size_t sign) {
  return std::string(kFirstBytes) + static_cast<char>(kLastByte + sign);
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What is wrong with the words in the braces, or nothing.
std::string fault_of(std::string_view body) {
  if (body.empty()) return "a reference to nothing; write ${model.width} or ${env:NAME}";
  if (body.substr(0, kEnvironment.size()) == kEnvironment) {
    const std::string_view rest = body.substr(kEnvironment.size());
    const std::string_view name = rest.substr(0, rest.find(','));
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_character))
      return "the name of an environment variable is letters, digits and _; write ${env:NAME} or "
             "${env:NAME,default}";
    return {};
  }
  if (body.find_first_of(" \t${}\"',") != std::string_view::npos)
    return "a reference is the path of a value; write ${model.width}, and $${ for a plain ${";
  if (const std::size_t colon = body.find(':'); colon != std::string_view::npos)
    return "only env: is known before a ':'; write ${model.width} or ${env:NAME}, and $${ for a "
           "plain ${";
  if (body.front() == '.' || body.back() == '.' || body.find("..") != std::string_view::npos)
    return "a name is missing beside a '.'; write ${model.width}";
  return {};
}

}  // namespace

std::string ReferencePart::variable() const {
  const std::string_view rest = std::string_view(text).substr(kEnvironment.size());
  return std::string(rest.substr(0, rest.find(',')));
}

std::optional<std::string_view> ReferencePart::otherwise() const {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(text).substr(comma + 1);
  const std::size_t first = rest.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::string_view();
  return rest.substr(first, rest.find_last_not_of(' ') - first + 1);
}

std::size_t reference_end(std::string_view text, std::size_t start) {
  int depth = 0;
  for (std::size_t i = start; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

std::size_t unclosed_reference(std::string_view text) {
  std::size_t at = text.find("${");
  while (at != std::string_view::npos) {
    const std::size_t end = reference_end(text, at);
    if (end == std::string_view::npos) return at;
    at = text.find("${", end);
  }
  return at;
}

std::string hide_references(std::string text) {
  std::size_t at = text.find("${");
  if (at == std::string::npos || text.find(kFirstBytes) != std::string::npos) return text;
  std::string result;
  std::size_t copied = 0;
  for (; at != std::string::npos; at = text.find("${", at + 2)) {
    const std::size_t end = reference_end(text, at);
    if (end == std::string::npos) continue;
    const std::string_view body = std::string_view(text).substr(at, end + 1 - at);
    if (body.find_first_of("\"'") != std::string_view::npos) continue;  // may be of other texts
    result.append(text, copied, at - copied);
    for (const char c : body) {
      const std::size_t sign = kSigns.find(c);
      if (sign == std::string_view::npos)
        result += c;
      else
        result += stand_in(sign);
    }
    copied = end + 1;
    at = end - 1;
  }
  return result.append(text, copied);
}

std::string show_references(std::string text) {
  for (std::size_t at = 0; (at = text.find(kFirstBytes, at)) != std::string::npos; ++at) {
    const auto last = at + 2 < text.size() ? static_cast<unsigned char>(text[at + 2]) : 0u;
    if (last >= kLastByte && last < kLastByte + kSigns.size())
      text.replace(at, 3, 1, kSigns[last - kLastByte]);
  }
  return text;
}

std::vector<ReferencePart> split_references(std::string_view text) {
  using Kind = ReferencePart::Kind;
  std::vector<ReferencePart> parts;
  const auto add_text = [&](std::string_view piece, std::size_t offset) {
    if (piece.empty()) return;
    if (parts.empty() || parts.back().kind != Kind::text) parts.push_back({Kind::text, {}, offset});
    parts.back().text += piece;
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t dollar = text.find("${", at);
    if (dollar == std::string_view::npos) break;
    if (dollar > at && text[dollar - 1] == '$') {  // $${
      add_text(text.substr(at, dollar - 1 - at), at);
      add_text("${", dollar - 1);
      at = dollar + 2;
      continue;
    }
    add_text(text.substr(at, dollar - at), at);
    const std::size_t end = reference_end(text, dollar);
    if (end == std::string_view::npos) {
      parts.push_back(
          {Kind::fault, "the '}' of '${' is missing; write $${ for a plain ${", dollar});
      return parts;
    }
    const std::string_view body = text.substr(dollar + 2, end - dollar - 2);
    if (std::string fault = fault_of(body); !fault.empty())
      parts.push_back({Kind::fault, std::move(fault), dollar});
    else
      parts.push_back({Kind::reference, std::string(body), dollar});
    at = end + 1;
  }
  add_text(text.substr(at), at);
  if (parts.empty()) parts.push_back({Kind::text, {}, 0});
  return parts;
}

}  // namespace assay
