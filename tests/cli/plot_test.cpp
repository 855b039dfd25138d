#include "cli/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace assay {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Series falling(std::int64_t steps) {
  Series series;
  for (std::int64_t step = 0; step <= steps; ++step) {
    series.steps.push_back(step);
    series.values.push_back(1 + 3 * std::exp(-static_cast<double>(step) / 100));
  }
  return series;
}

Terminal terminal_of(int width, bool unicode) {
  Terminal terminal;
  terminal.width = width;
  terminal.unicode = unicode;
  return terminal;
}

int widest_line(const std::string& text) {
  std::istringstream lines(text);
  int widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

// Column c of 17 holds row round(c / 16 * 5) of 6, two rows to a character.
TEST(Plot, DrawsAStraightLineFromCornerToCorner) {
  Plot plot;
  plot.lines.push_back({"loss", {{0, 10}, {2, 0}}});
  plot.rows = 3;
  EXPECT_EQ(plot.text(terminal_of(21, false)),
            "2 +''...\n"
            "  |     '''....\n"
            "0 +            '''..\n"
            "  +-----------------\n"
            "   0              10\n"
            "   .. loss\n");
}

TEST(Plot, StaysWithinTheTerminal) {
  Plot plot;
  plot.lines.push_back({"train/loss (smoothed)", falling(900)});
  plot.points.push_back({"val/loss", {{0, 450, 900}, {4, 1.1, 1}}});
  for (const int width : {60, 80, 100}) {
    EXPECT_LE(widest_line(plot.text(terminal_of(width, true))), width);
    EXPECT_LE(widest_line(plot.text(terminal_of(width, false))), width);
  }
}

TEST(Plot, IsAsciiOnlyWhereTheLocaleIsNotUtf8) {
  Plot plot;
  plot.lines.push_back({"loss", falling(900)});
  plot.points.push_back({"val", {{0, 900}, {4, 1}}});
  plot.level = Curve{"limit", {{0}, {1.2}}};
  for (const char c : plot.text(terminal_of(80, false)))
    EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(Plot, LeavesOutValuesThatAreNotFinite) {
  Plot plot, clean;
  plot.points.push_back({"val", {{0, 1, 2, 3}, {4, kGap, 3, kInfinity}}});
  clean.points.push_back({"val", {{0, 2}, {4, 3}}});
  EXPECT_EQ(plot.text(terminal_of(60, true)), clean.text(terminal_of(60, true)));
}

TEST(Plot, IsEmptyWithoutAFiniteValue) {
  Plot plot;
  plot.points.push_back({"val", {{0, 1}, {kGap, kInfinity}}});
  EXPECT_EQ(plot.text(Terminal()), "");
}

TEST(Plot, DrawsOneSinglePoint) {
  Plot plot;
  plot.points.push_back({"val", {{0}, {2.5}}});
  EXPECT_NE(plot.text(terminal_of(60, false)).find('o'), std::string::npos);
}

TEST(Smoothed, KeepsAStraightLineAndItsEnds) {
  Series line;
  for (std::int64_t step = 0; step < 500; ++step) {
    line.steps.push_back(step);
    line.values.push_back(0.5 * static_cast<double>(step));
  }
  const Series smooth = smoothed(line);
  ASSERT_EQ(smooth.values.size(), line.values.size());
  for (std::size_t i = 0; i < line.values.size(); ++i)
    EXPECT_NEAR(smooth.values[i], line.values[i], 1e-9);
}

TEST(Smoothed, AveragesNeighbours) {
  Series jagged;
  for (std::int64_t step = 0; step < 1000; ++step) {
    jagged.steps.push_back(step);
    jagged.values.push_back(step % 2 == 0 ? 1.0 : 3.0);
  }
  EXPECT_NEAR(smoothed(jagged).values[500], 2.0, 0.05);  // 10 of one kind and 11 of the other
}

// By hand, with weight 0.5: s = 2, 3, 4.5 over 1 - 0.5^n = 1/2, 3/4, 7/8.
TEST(ExponentialMean, IsNotPulledTowardsZeroAndPassesOverNaN) {
  const Series mean = exponential_mean({{0, 1, 2, 3}, {4, 4, kGap, 6}}, 0.5);
  EXPECT_EQ(mean.values[0], 4);
  EXPECT_EQ(mean.values[1], 4);
  EXPECT_TRUE(std::isnan(mean.values[2]));
  EXPECT_DOUBLE_EQ(mean.values[3], 4.5 / 0.875);
  const std::vector<double> as_they_are = {4, 1, 6};
  EXPECT_EQ(exponential_mean({{0, 1, 2}, as_they_are}, 0).values, as_they_are);
}

TEST(Plot, IsInColourWhereThereIsColourAndInLettersElsewhere) {
  Plot plot;
  plot.rows = 2;
  plot.lines.push_back({"one", {{0, 1}, {1, 1}}, "A", Style::red});
  plot.lines.push_back({"", {{0, 1}, {0, 0}}, "A", Style::red});
  Terminal terminal = terminal_of(20, true);
  EXPECT_NE(plot.text(terminal).find("AAAAAAAA"), std::string::npos);
  terminal.colour = true;
  const std::string text = plot.text(terminal);
  EXPECT_NE(text.find("\033[31m⠉\033[0m"), std::string::npos) << text;
  EXPECT_NE(text.find("\033[31m⠤⠤\033[0m A one\n"), std::string::npos) << text;
}

TEST(LogTicks, ArePowersOfTenOrFinerWhereTheRangeIsSmall) {
  EXPECT_EQ(log_ticks(0.01, 100, 5).size(), 5U);
  const std::vector<double> decade = log_ticks(1, 12, 6);
  ASSERT_EQ(decade.size(), 4U);
  const std::vector<double> wanted = {1, 2, 5, 10};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(decade[i], wanted[i], 1e-9);
  EXPECT_LE(log_ticks(1e-30, 1e30, 6).size(), 6U);
  EXPECT_EQ(log_ticks(3.1, 4.9, 5).front(), 3.5);
}

TEST(Ticks, AreRoundNumbersWithinTheRange) {
  const std::vector<double> found = ticks(1.87, 4.38, 5);
  const std::vector<double> wanted = {2.0, 2.5, 3.0, 3.5, 4.0};  // 1, 2 or 5 apart from about 0.5
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-12);
}

}  // namespace
}  // namespace assay
