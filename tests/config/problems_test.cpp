#include "config/problems.h"

#include <gtest/gtest.h>

#include "support/trees.h"

namespace assay {
namespace {

Location at(const char* source, int line, int column) {
  return {std::make_shared<const Source>(Source{source, ""}), line, column};
}

TEST(Problems, StandInTheOrderOfTheirPlaces) {
  Problems problems;
  problems.add(at("b.yaml", 10, 1), "third");
  problems.add(at("b.yaml", 9, 12), "second");
  problems.add(at("a.yaml", 1, 1), "fourth: this file came later");
  problems.add(at("b.yaml", 9, 2), "first");
  EXPECT_EQ(problems.text(),
            "b.yaml:9:2: first\nb.yaml:9:12: second\nb.yaml:10:1: third\na.yaml:1:1: fourth: this "
            "file came later");
}

TEST(Problems, OfOnePlaceKeepTheirOrder) {
  Problems problems;
  problems.add(at("a", 1, 1), "first");
  problems.add(at("a", 1, 1), "second");
  problems.add("somewhere", "third");
  problems.add(Location{}, "of no place");
  EXPECT_EQ(problems.text(), "a:1:1: first\na:1:1: second\nsomewhere: third\nof no place");
}

TEST(Problems, AreRaisedTogetherAsAUsageError) {
  Problems problems;
  problems.raise();
  problems.add("x", "one");
  problems.add("y", "two");
  EXPECT_EQ(error_of([&] { problems.raise(); }), "x: one\ny: two");
}

TEST(Problems, BeyondWhatAnyoneReadsAreCounted) {
  Problems problems;
  for (int i = 1; i <= 1300; ++i) problems.add(at("a", i, 1), "wrong");
  const std::string text = problems.text();
  EXPECT_TRUE(text.ends_with("\na:200:1: wrong\nand 1,100 more"));
  EXPECT_EQ(problems.size(), 1300u);
}

// Below each message: the line, and a caret under the column.

Location in_file(std::string text, int line, int column) {
  return {std::make_shared<const Source>(Source{"f.yaml", std::move(text)}), line, column};
}

TEST(Excerpt, ShowsTheLineAndTheColumn) {
  EXPECT_EQ(excerpt(in_file("a: 1\nb: {c: x}\n", 2, 8)), "\n  b: {c: x}\n         ^");
  EXPECT_EQ(excerpt(in_file("a: 1\r\nb: 2\r\n", 1, 4)), "\n  a: 1\n     ^");
  EXPECT_EQ(excerpt(in_file("\xEF\xBB\xBF"
                            "a: 1",
                            1, 1)),
            "\n  a: 1\n  ^");
  EXPECT_EQ(excerpt(in_file("a: [", 1, 5)), "\n  a: [\n      ^");
}

TEST(Excerpt, OfAnArgumentIsTheArgument) {
  const auto source =
      std::make_shared<const Source>(Source{"argument 'model.widht=8'", "model.widht=8"});
  EXPECT_EQ(problem_text({source, 0, 7}, "unknown"),
            "argument 'model.widht=8':7: unknown\n"
            "  model.widht=8\n"
            "        ^");
}

TEST(Excerpt, StandsRightUnderWideCharactersMarksAndTabs) {
  EXPECT_EQ(excerpt(in_file("\xE4\xBD\xA0\xE5\xA5\xBD: x", 1, 5)),
            "\n  \xE4\xBD\xA0\xE5\xA5\xBD: x\n        ^");  // two columns each
  EXPECT_EQ(excerpt(in_file("e\xCC\x81t\xC3\xA9: x", 1, 7)),
            "\n  e\xCC\x81t\xC3\xA9: x\n       ^");  // a mark takes none
  EXPECT_EQ(excerpt(in_file("\ta:\tx", 1, 5)), "\n   a: x\n      ^");
}

TEST(Excerpt, OfALongLineIsWhatStandsAround) {
  const std::string line = std::string(100, 'a') + "X" + std::string(100, 'b');
  EXPECT_EQ(excerpt(in_file(line, 1, 101)), "\n  ..." + std::string(50, 'a') + "X" +
                                                std::string(25, 'b') + "...\n     " +
                                                std::string(50, ' ') + "^");
  EXPECT_EQ(excerpt(in_file(line, 1, 1)), "\n  " + std::string(76, 'a') + "...\n  ^");
}

TEST(Excerpt, OfWhatCannotBeShownIsNothingOrASign) {
  EXPECT_EQ(excerpt({}), "");
  EXPECT_EQ(excerpt(in_file("a: 1", 0, 0)), "");
  EXPECT_EQ(excerpt(in_file("a: 1", 7, 1)), "");
  EXPECT_EQ(excerpt(in_file("   ", 1, 1)), "");
  EXPECT_EQ(excerpt(in_file("a: \x1b[2J\xFF", 1, 5)),
            "\n  a: \xEF\xBF\xBD[2J\xEF\xBF\xBD\n      ^");
}

TEST(Problems, OfTenThousandPlacesAreCollectedInNoTime) {
  Problems problems;
  for (int run = 0; run < 10; ++run)
    for (int i = 10'000; i > 0; --i) problems.add(at("a", i, 1), "wrong");
  EXPECT_EQ(problems.size(), 10'000u);
  EXPECT_EQ(problems.list().front().at.line, 1);
}

}  // namespace
}  // namespace assay
