#include "cli/measured.h"

#include <utility>
#include <vector>

#include "cli/json.h"
#include "cli/table.h"

namespace assay {
namespace {

std::string table_text(const MeasuredTable& measured, const Terminal& terminal) {
  std::vector<Column> columns;
  for (const MeasuredColumn& column : measured.columns)
    columns.push_back({printable(column.name), column.is_text() ? Align::left : Align::right});
  Table table(std::move(columns));
  for (std::size_t row = 0; row < measured.rows(); ++row) {
    std::vector<std::string> cells;
    for (std::size_t column = 0; column < measured.columns.size(); ++column)
      cells.push_back(printable(measured.cell(row, column)));
    table.row(std::move(cells));
  }
  return table.text(terminal);
}

Value column_json(const MeasuredTable& table, const MeasuredColumn& column) {
  std::vector<Value> cells;
  if (const auto texts = table.texts.find(column.name); texts != table.texts.end())
    for (const std::string& text : texts->second) cells.push_back(json_text(text));
  if (const auto numbers = table.numbers.find(column.name); numbers != table.numbers.end())
    for (const double number : numbers->second) cells.push_back(json_number(number));
  return Value::list(std::move(cells), {});
}

}  // namespace

std::string measured_text(const RunRecord& record, const Terminal& terminal) {
  std::string text;
  for (const auto& [name, table] : record.tables)
    if (!table.columns.empty())
      text += "\n" + styled(terminal, Style::bold, printable(table.title)) + "\n" +
              table_text(table, terminal);
  return text;
}

Value measured_json(const RunRecord& record) {
  std::vector<Value::Entry> tables;
  for (const auto& [name, table] : record.tables) {
    std::vector<Value::Entry> columns;
    for (const MeasuredColumn& column : table.columns)
      columns.emplace_back(column.name, column_json(table, column));
    tables.emplace_back(name, Value::map({{"title", json_text(table.title)},
                                          {"columns", Value::map(std::move(columns), {})}},
                                         {}));
  }
  return Value::map(std::move(tables), {});
}

}  // namespace assay
