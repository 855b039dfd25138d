// Rows that can be printed for people (table, Markdown) and for programs (CSV, JSON): the same
// cells, rounded for the former and exact for the latter.
//
//   Sheet sheet("runs", {{"run"}, {"val/loss", Align::right}});
//   sheet.row({text_cell("seed=1"), number_cell(1.89)});
//   write_out(sheet.text(Format::csv, terminal));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/table.h"
#include "config/value.h"

namespace assay {

enum class Format { table, csv, json, md };
/// "table", "csv", ...: the choices of --format.
std::vector<std::string> format_names();
/// REQUIRES one of format_names(). Nothing given: table.
Format read_format(const std::optional<std::string>& name);

struct Cell {
  std::string shown;  // for people
  Value exact;        // for programs; null: nothing
  std::optional<Style> style;
};
Cell text_cell(const std::string& text);
Cell number_cell(double number);
Cell number_cell(std::optional<double> number);  // "-" for none
Cell count_cell(std::int64_t number);
/// What people see; programs get nothing.
Cell shown_cell(std::string shown);

/// Text within HTML: & < > " escaped, bytes that are not UTF-8 replaced.
std::string html_text(const std::string& text);

class Sheet {
 public:
  Sheet(std::string name, std::vector<Column> columns)
      : name_(std::move(name)), columns_(std::move(columns)) {}
  /// REQUIRES one cell per column.
  void row(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }
  const std::string& name() const { return name_; }

  /// In any of the formats; JSON ends in a newline.
  std::string text(Format format, const Terminal& terminal) const;
  std::string table(const Terminal& terminal) const;
  std::string markdown() const;
  /// A table element.
  std::string html() const;
  /// With a header; fields in quotes where they must be (RFC 4180), lines end in LF.
  std::string csv() const;
  /// A list of maps.
  Value json() const;

 private:
  std::string name_;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace assay
