#include "cli/canvas.h"

#include <algorithm>

namespace assay {

Canvas::Canvas(int columns, int rows, const Terminal& terminal)
    : columns_(columns),
      rows_(rows),
      across_(terminal.unicode ? 2 : 1),
      down_(terminal.unicode ? 4 : 2),
      terminal_(terminal),
      cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

Canvas::Cell& Canvas::cell(int x, int y) {
  const int column = std::clamp(x / across_, 0, columns_ - 1);
  const int row = std::clamp(y / down_, 0, rows_ - 1);
  return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                static_cast<std::size_t>(column)];
}

void Canvas::dot(int x, int y, std::optional<Style> style) {
  if (x < 0 || y < 0 || x >= dot_columns() || y >= dot_rows()) return;
  static constexpr int kBraille[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  Cell& at = cell(x, y);
  at.dots |= across_ == 2 ? kBraille[y % 4][x % 2] : 1 << (y % 2);
  at.style = style;
}

void Canvas::mark(int x, int y, const std::string& character, std::optional<Style> style) {
  Cell& at = cell(x, y);
  at.mark = character;
  at.style = style;
}

void Canvas::level(int y, const std::string& character, Style style) {
  for (int column = 0; column < columns_; ++column) {
    const Cell& at = cell(column * across_, y);
    if (at.dots == 0 && at.mark.empty()) mark(column * across_, y, character, style);
  }
}

std::string Canvas::text_of(const Cell& cell) const {
  std::string text = cell.mark;
  if (text.empty()) {
    if (cell.dots == 0) return " ";
    text = across_ == 1 ? std::string(1, " '.:"[cell.dots])
                        : std::string{'\xE2', static_cast<char>(0xA0 | (cell.dots >> 6)),
                                      static_cast<char>(0x80 | (cell.dots & 0x3F))};
  }
  return cell.style ? styled(terminal_, *cell.style, text) : text;
}

std::string Canvas::row(int r) const {
  std::string text;
  for (int column = 0; column < columns_; ++column)
    text += text_of(cells_[static_cast<std::size_t>(r) * static_cast<std::size_t>(columns_) +
                           static_cast<std::size_t>(column)]);
  return text.erase(text.find_last_not_of(' ') + 1);
}

}  // namespace assay
