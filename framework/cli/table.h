// A table for the terminal: columns as wide as they must be, a rule below the header.
//
//   Table table({{"run"}, {"val loss", Align::right}});
//   table.row({"seed=1", "1.8925"});
//   write_out(table.text(terminal));
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"

namespace assay {

enum class Align { left, right };

/// Which end of its cells a column loses where the window is too narrow for the table.
enum class Cut { never, front, back };

struct Column {
  std::string title;
  Align align = Align::left;
  Cut cut = Cut::never;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);
  /// REQUIRES one cell per column. A cell may hold escape sequences unless its column is cut.
  void row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  std::string text(const Terminal& terminal) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace assay
