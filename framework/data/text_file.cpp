#include "data/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "io/read_file.h"
#include "io/sha256.h"

namespace assay {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF", kUtf16Little = "\xFF\xFE",
                           kUtf16Big = "\xFE\xFF";

[[noreturn]] void fail(const std::string& name, std::string_view what) {
  throw Error(ExitCode::data, fmt::format("{}: {}", name, what));
}

// Length of the byte order mark that text begins with.
std::size_t check_start(const std::string& name, std::string_view bytes) {
  if (bytes.starts_with(kUtf16Little) || bytes.starts_with(kUtf16Big))
    fail(name,
         "is UTF-16 or UTF-32 text: wanted UTF-8; convert it, as in `iconv -f UTF-16 -t UTF-8`");
  const std::size_t mark = bytes.starts_with(kUtf8Mark) ? kUtf8Mark.size() : 0;
  if (bytes.size() == mark) fail(name, "is empty: wanted text");
  return mark;
}

std::string replace_invalid(std::string_view text, std::int64_t& replaced) {
  std::string result;
  while (true) {
    const std::size_t at = utf8_error(text);
    result += text.substr(0, at);
    if (at == std::string_view::npos) return result;
    result += kReplacementText;
    ++replaced;
    text.remove_prefix(at + 1);
  }
}

// CR LF and lone CR become LF, in place.
void normalise_newlines(std::string& text) {
  const std::size_t first = text.find('\r');
  if (first == std::string::npos) return;
  std::size_t to = first;
  for (std::size_t from = first; from < text.size(); ++from) {
    const bool carriage_return = text[from] == '\r';
    if (carriage_return && from + 1 < text.size() && text[from + 1] == '\n') continue;
    text[to++] = carriage_return ? '\n' : text[from];
  }
  text.resize(to);
}

}  // namespace

TextFile decode_text(std::string bytes, const std::string& name, Newlines newlines, Invalid invalid,
                     std::string_view otherwise) {
  TextFile result;
  result.text = std::move(bytes);
  std::size_t at = std::string::npos;
  parallel_invoke([&] { result.sha256 = sha256_hex(result.text); },
                  [&] {
                    if (invalid != Invalid::keep) at = utf8_error(result.text);
                  });
  const std::size_t mark = check_start(name, result.text);
  if (invalid != Invalid::keep) {
    if (at != std::string::npos && invalid == Invalid::refuse)
      fail(name, fmt::format("byte {} (0x{:02X}) is not UTF-8; convert the file{}{}", at,
                             static_cast<unsigned char>(result.text[at]),
                             otherwise.empty() ? "" : ", ", otherwise));
    if (at != std::string::npos) result.text = replace_invalid(result.text, result.replaced);
  }
  result.text.erase(0, mark);
  if (newlines == Newlines::normalise) normalise_newlines(result.text);
  return result;
}

TextFile read_text_file(const std::filesystem::path& file, Newlines newlines, Invalid invalid,
                        std::string_view otherwise) {
  return decode_text(read_file(file), file.string(), newlines, invalid, otherwise);
}

std::string read_text(const std::filesystem::path& file) {
  std::string text = read_file(file);
  text.erase(0, check_start(file.string(), text));
  return text;
}

}  // namespace assay
