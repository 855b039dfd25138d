// What a stream can show: width, colour, redrawing in place, and characters beyond ASCII.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace assay {

struct Terminal {
  bool interactive = false;  // a line may be drawn again
  bool colour = false;       // off where NO_COLOR is set
  bool unicode = false;      // the locale is UTF-8
  bool window = false;       // has a width: longer lines would be broken
  int width = 80;            // columns; of a stream that is no window, a guess
  int height = 24;           // likewise

  /// Of a stream as it is now: a window may have been resized since.
  static Terminal of(std::FILE* stream);
};

enum class Style { bold, dim, red, green, yellow, blue, magenta, cyan, reverse };
/// text between the escape sequences of a style, or as it is where there is no colour.
std::string styled(const Terminal& terminal, Style style, std::string_view text);

/// Columns that text takes: code points, without escape sequences. Wide characters count as one.
int display_width(std::string_view text);
/// text cut to at most width columns, the cut marked. REQUIRES no escape sequences.
std::string clipped(std::string_view text, int width, bool unicode);
/// The same, but the end stays.
std::string clipped_front(std::string_view text, int width, bool unicode);
/// Words of text in lines of at most width columns; each line after the first starts with indent
/// spaces, which do not count.
std::string wrapped(std::string_view text, int width, int indent);
/// Fit for a screen: UTF-8 (utf8_repaired), and control characters, which could move the cursor, as
/// spaces; newlines are kept.
std::string printable(std::string_view text);

/// Writes everything or throws Error(failed): results must not go missing unseen.
void write_out(std::string_view text);
/// Writes to standard error; a failure there loses a message, never a run.
void write_err(std::string_view text);

}  // namespace assay
