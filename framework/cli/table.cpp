#include "cli/table.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace assay {
namespace {

constexpr int kGap = 2;         // columns between two cells
constexpr int kNarrowest = 12;  // a column that is cut keeps this many

std::string padded(const std::string& cell, int width, Align align) {
  const std::string space(static_cast<std::size_t>(std::max(0, width - display_width(cell))), ' ');
  return align == Align::left ? cell + space : space + cell;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::row(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(const Terminal& terminal) const {
  std::vector<int> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    int width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  const int gaps = kGap * (static_cast<int>(columns_.size()) - 1);
  int excess = std::accumulate(widths.begin(), widths.end(), gaps) - terminal.width;
  for (std::size_t c = 0; c < columns_.size() && terminal.window && excess > 0; ++c) {
    if (columns_[c].cut == Cut::never) continue;
    const int narrower = std::max(std::min(kNarrowest, widths[c]), widths[c] - excess);
    excess -= widths[c] - narrower;
    widths[c] = narrower;
  }

  std::string out;
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) text.append(kGap, ' ');
      std::string cell = cell_of(c);
      if (columns_[c].cut == Cut::back) cell = clipped(cell, widths[c], terminal.unicode);
      if (columns_[c].cut == Cut::front) cell = clipped_front(cell, widths[c], terminal.unicode);
      text += padded(cell, widths[c], columns_[c].align);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  line([&](std::size_t c) { return columns_[c].title; });
  const std::string dash = terminal.unicode ? "─" : "-";
  line([&](std::size_t c) {
    std::string rule;
    for (int i = 0; i < widths[c]; ++i) rule += dash;
    return rule;
  });
  for (const auto& row : rows_) line([&](std::size_t c) { return row[c]; });
  return out;
}

}  // namespace assay
