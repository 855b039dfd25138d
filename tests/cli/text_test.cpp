// Numbers, JSON text, and text cut and wrapped for a terminal.
#include <gtest/gtest.h>

#include <limits>

#include "cli/json.h"
#include "cli/numbers.h"
#include "cli/terminal.h"

namespace assay {
namespace {

TEST(ClockText, GrowsFromMinutesToHours) {
  EXPECT_EQ(clock_text(0), "0:00");
  EXPECT_EQ(clock_text(65.4), "1:05");
  EXPECT_EQ(clock_text(3723), "1:02:03");
  EXPECT_EQ(clock_text(-1), "-:--");
  EXPECT_EQ(clock_text(std::numeric_limits<double>::quiet_NaN()), "-:--");
  EXPECT_EQ(clock_text(std::numeric_limits<double>::infinity()), "-:--");
}

TEST(RateText, HasThreeFigures) {
  EXPECT_EQ(rate_text(0), "-");
  EXPECT_EQ(rate_text(950.4), "950");
  EXPECT_EQ(rate_text(999.9), "1.00k");
  EXPECT_EQ(rate_text(95123), "95.1k");
  EXPECT_EQ(rate_text(1234567), "1.23M");
}

TEST(MetricText, HasFourDecimalsWhereTheyTellSomething) {
  EXPECT_EQ(metric_text(1.89251), "1.8925");
  EXPECT_EQ(metric_text(0), "0.0000");
  EXPECT_EQ(metric_text(0.00012345678), "0.000123457");
  EXPECT_EQ(metric_text(1e19), "1e+19");
  EXPECT_EQ(metric_text(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(ExactText, ReadsBackAsTheSameNumber) {
  EXPECT_EQ(exact_text(0.1), "0.1");
  EXPECT_EQ(exact_text(1e-5), "1e-05");
  EXPECT_EQ(exact_text(1.0 / 3), "0.3333333333333333");
}

TEST(Json, EscapesWhatStringsMayNotHold) {
  EXPECT_EQ(write_json(json_text("a\"b\\c\nd\te\x01")), "\"a\\\"b\\\\c\\nd\\u0009e\\u0001\"\n");
}

TEST(Json, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(write_json(json_text("a\xFF\xC3\xA9")), "\"a\uFFFDé\"\n");
}

TEST(Json, WritesNumbersThatJsonLacksAsText) {
  EXPECT_EQ(write_json(json_number(std::numeric_limits<double>::quiet_NaN())), "\"nan\"\n");
  EXPECT_EQ(write_json(json_number(-std::numeric_limits<double>::infinity())), "\"-inf\"\n");
}

TEST(Json, KeepsATextThatLooksLikeANumberAText) {
  EXPECT_EQ(write_json(Value::map({{"version", json_text("1.10")}, {"n", json_integer(3)}}, {})),
            "{\"version\": \"1.10\", \"n\": 3}\n");
}

TEST(Json, WritesEmptyListsAndMaps) {
  EXPECT_EQ(write_json(Value::map({{"a", Value::list({}, {})}, {"b", Value::map({}, {})}}, {})),
            "{\n  \"a\": [],\n  \"b\": {}\n}\n");
}

TEST(Wrapped, BreaksBetweenWordsAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("one two three four", 8, 2), "one two\n  three\n  four");
  EXPECT_EQ(wrapped("indivisible word", 4, 1), "indivisible\n word");
}

TEST(Clipped, MarksTheCutAndKeepsCharactersWhole) {
  EXPECT_EQ(clipped("naïveté", 7, true), "naïveté");
  EXPECT_EQ(clipped("naïveté", 4, true), "naï…");
  EXPECT_EQ(clipped("naive", 4, false), "nai~");
  EXPECT_EQ(clipped_front("models/naïf.so", 8, true), "…naïf.so");
  EXPECT_EQ(clipped_front("gpt.so", 6, true), "gpt.so");
}

TEST(Printable, KeepsNewlinesAndNothingElseThatMovesTheCursor) {
  EXPECT_EQ(printable("a\r\nb\033[2Jc\x7F"), "a \nb [2Jc ");
}

}  // namespace
}  // namespace assay
