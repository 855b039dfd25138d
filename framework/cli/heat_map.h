// Matrices of weights in [0, 1] as heat maps, with a label for each row and column: on the screen
// and as a picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "io/png.h"
#include "results/record.h"

namespace assay {

struct HeatMap {
  std::string title;
  std::vector<std::string> rows, columns;  // labels
  std::vector<float> weights;              // [rows, columns]
  float at(std::size_t row, std::size_t column) const {
    return weights[row * columns.size() + column];
  }
};

/// What a head attended to; the title is empty. REQUIRES a head that is there.
HeatMap attention_map(const AttentionMaps& maps, std::int64_t head);

/// Control characters as one sees them in source code, spaces as _, other bytes that are no text as
/// <80>.
std::string label(const std::string& token);

/// One character for a weight; columns are labelled by their first characters.
std::string heat_map_text(const HeatMap& map, const Terminal& terminal);
/// The maps beside each other. Letters beyond ASCII are boxes.
Picture heat_map_picture(const std::vector<HeatMap>& maps);

}  // namespace assay
