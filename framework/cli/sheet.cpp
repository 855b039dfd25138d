#include "cli/sheet.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "base/utf8.h"
#include "cli/json.h"
#include "cli/numbers.h"
#include "results/export.h"

namespace assay {
namespace {

constexpr std::pair<const char*, Format> kFormats[] = {
    {"table", Format::table}, {"csv", Format::csv}, {"json", Format::json}, {"md", Format::md}};

std::string markdown_field(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '|' || c == '\\' || c == '*' || c == '_' || c == '<' || c == '`') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string html_text(const std::string& text) {
  std::string out;
  for (const char c : utf8_repaired(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [name, format] : kFormats) names.emplace_back(name);
  return names;
}

Format read_format(const std::optional<std::string>& name) {
  for (const auto& [known, format] : kFormats)
    if (name == known) return format;
  return Format::table;
}

Cell text_cell(const std::string& text) {
  return {printable(text), json_text(text), std::nullopt};
}

Cell number_cell(double number) {
  return {metric_text(number), json_number(number), std::nullopt};
}

Cell number_cell(std::optional<double> number) {
  return number ? number_cell(*number) : shown_cell("-");
}

Cell count_cell(std::int64_t number) {
  return {fmt::format("{}", number), json_integer(number), std::nullopt};
}

Cell shown_cell(std::string shown) {
  return {std::move(shown), Value(), std::nullopt};
}

void Sheet::row(std::vector<Cell> cells) {
  assert(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Sheet::text(Format format, const Terminal& terminal) const {
  switch (format) {
    case Format::csv:
      return csv();
    case Format::json:
      return write_json(json());
    case Format::md:
      return markdown();
    case Format::table:
      break;
  }
  return table(terminal);
}

std::string Sheet::table(const Terminal& terminal) const {
  Table table(columns_);
  for (const auto& row : rows_) {
    std::vector<std::string> cells;
    for (const Cell& cell : row)
      cells.push_back(cell.style ? styled(terminal, *cell.style, cell.shown) : cell.shown);
    table.row(std::move(cells));
  }
  return table.text(terminal);
}

std::string Sheet::markdown() const {
  std::string out = "|", rule = "|";
  for (const Column& column : columns_) {
    out += " " + markdown_field(column.title) + " |";
    rule += column.align == Align::right ? " ---: |" : " --- |";
  }
  out += "\n" + rule + "\n";
  for (const auto& row : rows_) {
    out += "|";
    for (const Cell& cell : row) out += " " + markdown_field(cell.shown) + " |";
    out += "\n";
  }
  return out;
}

std::string Sheet::html() const {
  const auto cell = [&](const char* element, std::size_t column, const std::string& text) {
    const char* side = columns_[column].align == Align::right ? " class=\"r\"" : "";
    return fmt::format("<{}{}>{}</{}>", element, side, html_text(text), element);
  };
  std::string out = "<table><tr>";
  for (std::size_t c = 0; c < columns_.size(); ++c) out += cell("th", c, columns_[c].title);
  out += "</tr>\n";
  for (const auto& row : rows_) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) out += cell("td", c, row[c].shown);
    out += "</tr>\n";
  }
  return out + "</table>";
}

std::string Sheet::csv() const {
  std::string out;
  const char* separator = "";
  for (const Column& column : columns_) {
    out += separator + csv_field(column.title);
    separator = ",";
  }
  out += "\n";
  for (const auto& row : rows_) {
    separator = "";
    for (const Cell& cell : row) {
      out += separator + csv_field(cell.exact.text());
      separator = ",";
    }
    out += "\n";
  }
  return out;
}

Value Sheet::json() const {
  std::vector<Value> items;
  for (const auto& row : rows_) {
    std::vector<Value::Entry> entries;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      entries.emplace_back(columns_[c].title, row[c].exact);
    items.push_back(Value::map(std::move(entries), {}));
  }
  return Value::list(std::move(items), {});
}

}  // namespace assay
