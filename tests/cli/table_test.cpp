#include "cli/table.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Table, AlignsCellsBelowTitlesAndRulesOffTheHeader) {
  Table table({{"run"}, {"loss", Align::right}});
  table.row({"a", "1.5"});
  table.row({"longer", "12.25"});
  EXPECT_EQ(table.text(Terminal()),
            "run      loss\n"
            "------  -----\n"
            "a         1.5\n"
            "longer  12.25\n");
}

TEST(Table, CutsAShrinkingColumnWhereTheTerminalIsNarrow) {
  Table table({{"run", Align::left, Cut::back}, {"loss", Align::right}});
  table.row({"model.width=64_seed=1_1f3a9c04", "1.5"});
  Terminal terminal;
  terminal.window = true;
  terminal.width = 22;
  EXPECT_EQ(table.text(terminal),
            "run               loss\n"
            "----------------  ----\n"
            "model.width=64_~   1.5\n");
}

TEST(Table, IsNotCutWhereThereIsNoWindow) {
  Table table({{"run", Align::left, Cut::back}});
  table.row({std::string(200, 'x')});
  EXPECT_NE(table.text(Terminal()).find(std::string(200, 'x')), std::string::npos);
}

TEST(Table, CountsCharactersAndNotBytesOrEscapeSequences) {
  Terminal terminal;
  terminal.unicode = true;
  terminal.colour = true;
  Table table({{"name"}, {"n"}});
  table.row({styled(terminal, Style::green, "naïve"), "1"});
  EXPECT_EQ(table.text(terminal),
            "name   n\n"
            "─────  ─\n"
            "\033[32mnaïve\033[0m  1\n");
}

}  // namespace
}  // namespace assay
