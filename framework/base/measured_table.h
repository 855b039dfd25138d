// A table of figures with named columns: what a probe writes, a result file keeps and `assay show`
// prints.
//
//   MeasuredTable table("Mean length of the tokens", {{"layer", "d"}, {"arrangement"}, {"length",
//   ".2f"}}); table.row({1, "pre-norm", 6.1});
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "base/api.h"

namespace assay {

struct MeasuredColumn {
  std::string name;
  /// Of numbers: how they are printed, as Python's and fmt's format() have it (".2f", ".1e"; "d"
  /// for whole ones). Empty: the column holds texts.
  std::string format = {};
  bool is_text() const { return format.empty(); }
};

/// A cell: a number or a text.
struct MeasuredCell {
  template <class Number>
  requires std::is_arithmetic_v<Number> MeasuredCell(Number value)
      : number(static_cast<double>(value)) {}
  MeasuredCell(std::string value) : text(std::move(value)), is_text(true) {}
  MeasuredCell(const char* value) : text(value), is_text(true) {}
  double number = 0;
  std::string text;
  bool is_text = false;
};

struct ASSAY_API MeasuredTable {
  MeasuredTable() = default;
  /// Column names are distinct.
  MeasuredTable(std::string title, std::vector<MeasuredColumn> columns);
  /// One cell for each column, of its kind; else throws Error(plugin).
  void row(const std::vector<MeasuredCell>& cells);
  /// The cell as it is printed; "" where there is none.
  std::string cell(std::size_t row, std::size_t column) const;
  std::size_t rows() const;

  std::string title;
  std::vector<MeasuredColumn> columns;
  std::map<std::string, std::vector<double>> numbers;     // by column
  std::map<std::string, std::vector<std::string>> texts;  // by column
};

}  // namespace assay
