#include "io/csv.h"

#include <gtest/gtest.h>

#include "support/thrown.h"

namespace assay {
namespace {

using Fields = std::vector<std::string>;

std::vector<Fields> fields_of(std::string_view text, char separator = ',',
                              Quotes quotes = Quotes::fields) {
  std::vector<Fields> all;
  for (CsvRecord& record : parse_csv(text, separator, quotes, "t.csv"))
    all.push_back(std::move(record.fields));
  return all;
}

TEST(Csv, EndsRecordsAtAnyLineEndingAndLosesNothingWithoutOne) {
  const std::vector<Fields> wanted = {{"a", "cat"}, {"b", "dog"}};
  for (const char* text :
       {"a,cat\nb,dog\n", "a,cat\r\nb,dog\r\n", "a,cat\rb,dog", "a,cat\n\nb,dog"})
    EXPECT_EQ(fields_of(text), wanted) << text;
  EXPECT_TRUE(fields_of("").empty());
}

// The examples of RFC 4180, section 2.
TEST(Csv, ReadsQuotedFields) {
  EXPECT_EQ(fields_of("\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx"),
            (std::vector<Fields>{{"aaa", "b\r\nbb", "ccc"}, {"zzz", "yyy", "xxx"}}));
  EXPECT_EQ(fields_of("\"aaa\",\"b\"\"bb\",\"c,c\""),
            (std::vector<Fields>{{"aaa", "b\"bb", "c,c"}}));
}

TEST(Csv, KeepsEmptyFieldsAndSpaces) {
  EXPECT_EQ(fields_of(",\n\"\",\n a ,b\n"),
            (std::vector<Fields>{{"", ""}, {"", ""}, {" a ", "b"}}));
}

TEST(Csv, TakesAQuoteWithinAFieldAsItself) {
  EXPECT_EQ(fields_of("5\" nail,x\n"), (std::vector<Fields>{{"5\" nail", "x"}}));
}

TEST(Csv, TakesQuotesAsThemselvesWhereTheyMeanNothing) {
  EXPECT_EQ(fields_of("\"a\tb\n", '\t', Quotes::none), (std::vector<Fields>{{"\"a", "b"}}));
}

TEST(Csv, CountsTheLinesWithinQuotedFields) {
  const auto records = parse_csv("\n\"a\nb\r\nc\",1\nd,2\n", ',', Quotes::fields, "t.csv");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].line, 2U);
  EXPECT_EQ(records[1].line, 5U);
}

TEST(Csv, SaysWhereAQuoteIsWrong) {
  EXPECT_EQ(thrown([] { fields_of("a,b\nc,\"d\ne,f\n"); }),
            "[5] t.csv:2: the field that opens with a double quote here never closes");
  EXPECT_EQ(thrown([] { fields_of("a,b\n\"say\" no,d\n"); }),
            "[5] t.csv:2: after the double quote that ends a field wanted ',' or the end of the "
            "line, got ' '; a quote within a field is written twice");
}

}  // namespace
}  // namespace assay
