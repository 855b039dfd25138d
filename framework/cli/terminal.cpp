#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/utf8.h"

namespace assay {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value(environment(name));
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

const char* code(Style style) {
  switch (style) {
    case Style::bold:
      return "\033[1m";
    case Style::dim:
      return "\033[2m";
    case Style::red:
      return "\033[31m";
    case Style::green:
      return "\033[32m";
    case Style::yellow:
      return "\033[33m";
    case Style::blue:
      return "\033[34m";
    case Style::magenta:
      return "\033[35m";
    case Style::cyan:
      return "\033[36m";
    case Style::reverse:
      return "\033[7m";
  }
  return "";
}

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

Terminal Terminal::of(std::FILE* stream) {
  Terminal terminal;
  const int descriptor = fileno(stream);
  const std::string_view term = environment("TERM");
  terminal.window = isatty(descriptor) == 1;
  terminal.interactive = terminal.window && !term.empty() && term != "dumb";
  terminal.colour = terminal.interactive && environment("NO_COLOR").empty();
  terminal.unicode = locale_is_utf8();
  winsize size = {};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.width = size.ws_col;
    if (size.ws_row > 0) terminal.height = size.ws_row;
  } else if (const int columns = std::atoi(std::string(environment("COLUMNS")).c_str());
             columns > 0) {
    terminal.width = columns;
  }
  terminal.width = std::clamp(terminal.width, 20, 1000);
  return terminal;
}

std::string styled(const Terminal& terminal, Style style, std::string_view text) {
  if (!terminal.colour) return std::string(text);
  return code(style) + std::string(text) + "\033[0m";
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      while (i + 1 < text.size() && text[i] != 'm') ++i;
    } else if (!continues(text[i])) {
      ++width;
    }
  }
  return width;
}

std::string clipped(std::string_view text, int width, bool unicode) {
  if (display_width(text) <= width) return std::string(text);
  const std::string mark = unicode ? "…" : "~";
  int kept = 0;
  std::size_t end = 0;
  while (end < text.size() && kept < width - 1) {
    ++end;
    while (end < text.size() && continues(text[end])) ++end;
    ++kept;
  }
  return width < 1 ? std::string() : std::string(text.substr(0, end)) + mark;
}

std::string clipped_front(std::string_view text, int width, bool unicode) {
  const int excess = display_width(text) - width;
  if (excess <= 0 || width < 1) return clipped(text, width, unicode);
  std::size_t start = 0;
  for (int dropped = 0; dropped <= excess; ++dropped) {
    ++start;
    while (start < text.size() && continues(text[start])) ++start;
  }
  return (unicode ? "…" : "~") + std::string(text.substr(start));
}

std::string wrapped(std::string_view text, int width, int indent) {
  std::string out;
  int column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const int wide = display_width(word);
    if (column > 0 && column + 1 + wide > width) {
      out += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += wide;
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out = utf8_repaired(text);
  for (char& c : out) {
    const auto u = static_cast<unsigned char>(c);
    if ((u < 0x20 && c != '\n') || u == 0x7F) c = ' ';
  }
  return out;
}

void write_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(ExitCode::failed,
                std::string("standard output: cannot write: ") + std::strerror(errno));
  }
}

void write_err(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace assay
