#include "cli/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/utf8.h"
#include "cli/glyphs.h"

namespace assay {
namespace {

constexpr std::int64_t kCell = 12, kMargin = 8, kLetter = kGlyphWidth + 1;
constexpr std::int64_t kTextLine = kGlyphHeight + 2;
constexpr Colour kInk = {30, 30, 30};

// From white over blue to nearly black, so that also small weights are seen.
Colour shade(float weight) {
  const double x = std::sqrt(std::clamp(static_cast<double>(weight), 0.0, 1.0));
  const auto fade = [x](double light, double dark) {
    return static_cast<std::uint8_t>(std::lround(light + (dark - light) * x));
  };
  return {fade(255, 8), fade(255, 29), fade(255, 88)};
}

void draw_letter(Picture& picture, std::int64_t x, std::int64_t y, char32_t letter) {
  const std::size_t glyph = letter >= 0x20 && letter < 0x7F ? letter - 0x20 : kGlyphs.size() - 1;
  for (std::int64_t column = 0; column < kGlyphWidth; ++column)
    for (std::int64_t row = 0; row < kGlyphHeight; ++row)
      if (kGlyphs[glyph][static_cast<std::size_t>(column)] >> row & 1)
        picture.fill(x + column, y + row, 1, 1, kInk);
}

// Letters one after the other, dx and dy apart.
void draw_text(Picture& picture, std::int64_t x, std::int64_t y, const std::string& text,
               std::int64_t dx, std::int64_t dy) {
  for (std::size_t at = 0; at < text.size(); x += dx, y += dy)
    draw_letter(picture, x, y, utf8_next(text, at));
}

std::int64_t longest(const std::vector<std::string>& labels) {
  std::size_t most = 0;
  for (const std::string& one : labels) most = std::max(most, utf8_count(one));
  return static_cast<std::int64_t>(most);
}

struct Panel {
  std::int64_t left, top, width, height;  // left and top: the labels' room
  explicit Panel(const HeatMap& map)
      : left(longest(map.rows) * kLetter + 4),
        top(kTextLine + 4 + longest(map.columns) * kTextLine),
        width(std::max(left + static_cast<std::int64_t>(map.columns.size()) * kCell,
                       static_cast<std::int64_t>(utf8_count(map.title)) * kLetter)),
        height(top + static_cast<std::int64_t>(map.rows.size()) * kCell) {}
};

void draw(Picture& picture, const HeatMap& map, const Panel& panel, std::int64_t x,
          std::int64_t y) {
  draw_text(picture, x, y, map.title, kLetter, 0);
  for (std::size_t column = 0; column < map.columns.size(); ++column) {
    const auto letters = static_cast<std::int64_t>(utf8_count(map.columns[column]));
    draw_text(picture, x + panel.left + static_cast<std::int64_t>(column) * kCell + 3,
              y + panel.top - letters * kTextLine, map.columns[column], 0, kTextLine);
  }
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    const std::int64_t at = y + panel.top + static_cast<std::int64_t>(row) * kCell;
    const auto letters = static_cast<std::int64_t>(utf8_count(map.rows[row]));
    draw_text(picture, x + panel.left - 4 - letters * kLetter, at + 2, map.rows[row], kLetter, 0);
    for (std::size_t column = 0; column < map.columns.size(); ++column)
      picture.fill(x + panel.left + static_cast<std::int64_t>(column) * kCell, at, kCell - 1,
                   kCell - 1, shade(map.at(row, column)));
  }
}

}  // namespace

HeatMap attention_map(const AttentionMaps& maps, std::int64_t head) {
  HeatMap map;
  for (const std::string& token : maps.queries) map.rows.push_back(label(token));
  for (const std::string& token : maps.keys) map.columns.push_back(label(token));
  const auto& weights = std::get<std::vector<float>>(maps.weights.data);
  const auto count = static_cast<std::ptrdiff_t>(map.rows.size() * map.columns.size());
  map.weights.assign(weights.begin() + head * count, weights.begin() + (head + 1) * count);
  return map;
}

std::string label(const std::string& token) {
  std::string shown;
  for (std::size_t at = 0; at < token.size();) {
    const std::size_t length = utf8_length(std::string_view(token).substr(at));
    const auto byte = static_cast<unsigned char>(token[at]);
    if (byte == ' ')
      shown += '_';
    else if (byte == '\n')
      shown += "\\n";
    else if (byte == '\t')
      shown += "\\t";
    else if (length == 0 || byte < 0x20 || byte == 0x7F)
      shown += fmt::format("<{:02X}>", byte);
    else
      shown += token.substr(at, length);
    at += std::max<std::size_t>(1, length);
  }
  return shown;
}

std::string heat_map_text(const HeatMap& map, const Terminal& terminal) {
  static const char* const kBlocks[] = {" ", "░", "▒", "▓", "█"};
  static const char* const kAscii[] = {" ", ".", "o", "O", "@"};
  const auto& marks = terminal.unicode ? kBlocks : kAscii;
  const std::size_t room = static_cast<std::size_t>(longest(map.rows));
  std::string text = map.title + "\n" + std::string(room + 1, ' ');
  for (const std::string& column : map.columns)
    text += column.empty() ? " " : column.substr(0, std::max<std::size_t>(1, utf8_length(column)));
  text += '\n';
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    std::string line = std::string(room - utf8_count(map.rows[row]), ' ') + map.rows[row] + " ";
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      const double root = std::sqrt(static_cast<double>(map.at(row, column)));
      line += marks[std::clamp(static_cast<int>(std::lround(4 * root)), 0, 4)];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

Picture heat_map_picture(const std::vector<HeatMap>& maps) {
  std::int64_t width = kMargin, height = 0;
  for (const HeatMap& map : maps) {
    const Panel panel(map);
    width += panel.width + kMargin;
    height = std::max(height, panel.height + 2 * kMargin);
  }
  Picture picture(width, height);
  std::int64_t x = kMargin;
  for (const HeatMap& map : maps) {
    const Panel panel(map);
    draw(picture, map, panel, x, kMargin);
    x += panel.width + kMargin;
  }
  return picture;
}

}  // namespace assay
