#include "cli/heat_map.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

HeatMap small_map() {
  return {"layer0/attention head 1", {"a", "bc"}, {"a", "bc"}, {1, 0, 0.25F, 0.75F}};
}

TEST(HeatMap, LabelsTokensSoThatTheyCanBeSeen) {
  EXPECT_EQ(label("a b\n"), "a_b\\n");
  EXPECT_EQ(label("\xC3\xA9\xC3\t"), "\xC3\xA9<C3>\\t");
}

TEST(HeatMap, OnTheScreenHasOneMarkForEachWeight) {
  Terminal terminal;
  EXPECT_EQ(heat_map_text(small_map(), terminal), "layer0/attention head 1\n   ab\n a @\nbc oO\n");
  terminal.unicode = true;
  EXPECT_EQ(heat_map_text(small_map(), terminal), "layer0/attention head 1\n   ab\n a █\nbc ▒▓\n");
}

TEST(HeatMap, AsAPictureIsDarkWhereWeightsAreLarge) {
  const Picture picture = heat_map_picture({small_map()});
  // The cells are at the lower right: 12 x 12 each, within a margin of 8; titles may be wider.
  const std::int64_t left = 8 + 2 * 6 + 4, bottom = picture.height() - 8;
  const auto red = [&](std::int64_t row, std::int64_t column) {
    return picture.at(left + column * 12 + 5, bottom - 24 + row * 12 + 5).red;
  };
  EXPECT_EQ(red(0, 0), 8);
  EXPECT_EQ(red(0, 1), 255);
  EXPECT_LT(red(1, 1), red(1, 0));
  EXPECT_GT(heat_map_picture({small_map(), small_map()}).width(), picture.width());
}

}  // namespace
}  // namespace assay
