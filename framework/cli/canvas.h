// Character cells to draw on: of 2 x 4 dots (braille), or 1 x 2 in plain ASCII (upper ', lower .,
// both :).
//
//   Canvas canvas(60, 12, terminal);
//   canvas.dot(3, 5, Style::cyan);
//   canvas.row(1)      // text of the second row of cells
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"

namespace assay {

class Canvas {
 public:
  Canvas(int columns, int rows, const Terminal& terminal);

  int dot_columns() const { return columns_ * across_; }
  int dot_rows() const { return rows_ * down_; }
  int columns() const { return columns_; }
  int rows() const { return rows_; }
  int dots_across() const { return across_; }
  int dots_down() const { return down_; }

  /// What is outside is not drawn. A cell has the style of its latest dot.
  void dot(int x, int y, std::optional<Style> style = {});
  /// A character in the cell of this dot, in place of dots.
  void mark(int x, int y, const std::string& character, std::optional<Style> style = {});
  /// A row of marks, only where nothing else is.
  void level(int y, const std::string& character, Style style);

  /// Without spaces at its end.
  std::string row(int r) const;

 private:
  struct Cell {
    int dots = 0;
    std::string mark;
    std::optional<Style> style;
  };
  Cell& cell(int x, int y);
  std::string text_of(const Cell& cell) const;

  int columns_, rows_, across_, down_;
  Terminal terminal_;
  std::vector<Cell> cells_;
};

}  // namespace assay
