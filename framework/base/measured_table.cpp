#include "base/measured_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace assay {
namespace {

std::string number_text(double number, const std::string& format) {
  if (std::isnan(number)) return "nan";  // whatever its sign bit
  try {
    if (format == "d") return fmt::format("{:.0f}", number);
    return fmt::format(fmt::runtime("{:" + format + "}"), number);
  } catch (const fmt::format_error&) {  // a file may say anything
    return fmt::format("{}", number);
  }
}

}  // namespace

MeasuredTable::MeasuredTable(std::string the_title, std::vector<MeasuredColumn> the_columns)
    : title(std::move(the_title)), columns(std::move(the_columns)) {
  for (const MeasuredColumn& column : columns) {
    const bool added = column.is_text() ? texts.try_emplace(column.name).second
                                        : numbers.try_emplace(column.name).second;
    if (!added)
      throw Error(ExitCode::plugin,
                  fmt::format("table '{}': two columns are called '{}'", title, column.name));
  }
}

void MeasuredTable::row(const std::vector<MeasuredCell>& cells) {
  bool fits = cells.size() == columns.size();
  for (std::size_t i = 0; fits && i < cells.size(); ++i)
    fits = cells[i].is_text == columns[i].is_text();
  if (!fits)
    throw Error(ExitCode::plugin,
                fmt::format("table '{}': a row of {} cells does not go with its {} columns", title,
                            cells.size(), columns.size()));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].is_text)
      texts[columns[i].name].push_back(cells[i].text);
    else
      numbers[columns[i].name].push_back(cells[i].number);
  }
}

std::size_t MeasuredTable::rows() const {
  std::size_t most = 0;
  for (const auto& [name, values] : numbers) most = std::max(most, values.size());
  for (const auto& [name, values] : texts) most = std::max(most, values.size());
  return most;
}

std::string MeasuredTable::cell(std::size_t row, std::size_t column) const {
  const MeasuredColumn& c = columns.at(column);
  if (c.is_text()) {
    const auto found = texts.find(c.name);
    return found == texts.end() || row >= found->second.size() ? "" : found->second[row];
  }
  const auto found = numbers.find(c.name);
  if (found == numbers.end() || row >= found->second.size()) return "";
  return number_text(found->second[row], c.format);
}

}  // namespace assay
