#include "config/problems.h"

#include <gtest/gtest.h>

#include "support/trees.h"

namespace assay {
namespace {

Location at(const char* source, int line, int column) {
  return {std::make_shared<const std::string>(source), line, column};
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
  EXPECT_EQ(problems.list().size(), 1300u);
}

}  // namespace
}  // namespace assay
