#include "config/interpolation.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "config/overrides.h"
#include "config/yaml.h"
#include "support/trees.h"

namespace assay {
namespace {

// The tree without references, or the problems.
std::string resolved(const std::string& yaml) {
  Problems problems;
  std::vector<Location> left;
  const Value root = interpolate(read_yaml(yaml, "f.yaml"), problems, left);
  EXPECT_EQ(left.empty(), problems.empty());
  return problems.empty() ? tree(root) : problems.text();
}

TEST(Interpolation, TakesTheValueOfAnotherPlaceWithItsKind) {
  EXPECT_EQ(resolved("{w: 64, v: ${w}}"), "{w: 64, v: 64}");
  EXPECT_EQ(resolved("{w: 64, v: \"${w}\"}"), "{w: 64, v: 64}");
  EXPECT_EQ(resolved("w: '64'\nv: ${w}\n"), "{w: \"64\", v: \"64\"}");
  EXPECT_EQ(resolved("a: {l: [1, {x: 2}]}\nb: ${a.l}\nc: ${a.l.1.x}\n"),
            "{a: {l: [1, {x: 2}]}, b: [1, {x: 2}], c: 2}");
}

TEST(Interpolation, PutsTextsTogether) {
  EXPECT_EQ(resolved("{w: 64, n: 2, run: w${w}-${n}x}"), "{w: 64, n: 2, run: w64-2x}");
  EXPECT_EQ(resolved("{w: 64, run: \"w ${w}\"}"), "{w: 64, run: \"w 64\"}");
  EXPECT_EQ(resolved("{n: 2, steps: ${n}00}"), "{n: 2, steps: 200}");
}

TEST(Interpolation, FollowsReferencesToReferences) {
  EXPECT_EQ(resolved("{a: ${b}, b: ${c}, c: 1}"), "{a: 1, b: 1, c: 1}");
  EXPECT_EQ(resolved("{a: ${b.x}, b: ${c}, c: {x: 1}}"), "{a: 1, b: {x: 1}, c: {x: 1}}");
  EXPECT_EQ(resolved("{a: ${m}, m: {x: ${n}}, n: 1}"), "{a: {x: 1}, m: {x: 1}, n: 1}");
}

TEST(Interpolation, ReadsTheEnvironment) {
  ::setenv("ASSAY_TEST_SET", "12", 1);
  ::unsetenv("ASSAY_TEST_NOT_SET");
  EXPECT_EQ(resolved("a: ${env:ASSAY_TEST_SET}"), "{a: 12}");
  EXPECT_EQ(resolved("{a: \"${env:ASSAY_TEST_SET}\"}"), "{a: 12}");
  EXPECT_EQ(resolved("{a: \"${env:ASSAY_TEST_SET}k\"}"), "{a: \"12k\"}");
  EXPECT_EQ(resolved("{a: ${env:ASSAY_TEST_NOT_SET,3}}"), "{a: 3}");
  EXPECT_EQ(resolved("a: ${env:ASSAY_TEST_NOT_SET, x, y }"), "{a: x, y}");
  EXPECT_EQ(resolved("a: ${env:ASSAY_TEST_NOT_SET,}"), "{a: }");
  EXPECT_EQ(resolved("{w: 5, a: ${env:ASSAY_TEST_NOT_SET,w${w}}}"), "{w: 5, a: w5}");
  EXPECT_EQ(resolved("a: ${env:ASSAY_TEST_NOT_SET}"),
            "f.yaml:1:4: a: the environment variable ASSAY_TEST_NOT_SET is not set; set it, or "
            "write ${env:ASSAY_TEST_NOT_SET,default}\n"
            "  a: ${env:ASSAY_TEST_NOT_SET}\n"
            "     ^");
}

TEST(Interpolation, TwoDollarsMakeAPlainOne) {
  EXPECT_EQ(resolved("a: $${b}\nc: 5$ {x\nd: $\n"), "{a: ${b}, c: 5$ {x, d: $}");
  for (const char* yaml : {"a: $${b}", "a: $$${b}", "a: [x$${b}, \"$${\", {c: \"$${\"}]"}) {
    Problems problems;
    std::vector<Location> left;
    const Value once = interpolate(read_yaml(yaml, "f.yaml"), problems, left);
    EXPECT_EQ(tree(interpolate(without_references(once), problems, left)), tree(once));
    EXPECT_EQ(problems.text(), "");
  }
}

TEST(Interpolation, TellsTheWayOfAReferenceToItself) {
  EXPECT_EQ(resolved("a: ${a}"),
            "f.yaml:1:4: a: refers to itself: a -> a\n"
            "  a: ${a}\n"
            "     ^");
  EXPECT_EQ(resolved("a: ${b.x}\nb:\n  x: y${a}\n"),
            "f.yaml:3:7: b.x: refers to itself: a -> b.x -> a\n"
            "    x: y${a}\n"
            "        ^");
  EXPECT_EQ(resolved("a: {b: ${a}}"),
            "f.yaml:1:8: a.b: refers to itself: a -> a.b -> a\n"
            "  a: {b: ${a}}\n"
            "         ^");
  EXPECT_EQ(resolved("a: ${b.c}\nb: ${a}\n"),
            "f.yaml:2:4: b: refers to itself: a -> b -> a\n"
            "  b: ${a}\n"
            "     ^");
}

TEST(Interpolation, PointsAtTheReferenceThatIsWrong) {
  EXPECT_EQ(resolved("model: {width: 8}\nname: run-${model.widht}\n"),
            "f.yaml:2:11: name: nothing is set at 'model.widht' (defaults of plugins do not "
            "count); did you mean 'model.width'?\n"
            "  name: run-${model.widht}\n"
            "            ^");
  EXPECT_EQ(resolved("a: x ${}"),
            "f.yaml:1:6: a: a reference to nothing; write ${model.width} or ${env:NAME}\n"
            "  a: x ${}\n"
            "       ^");
  EXPECT_EQ(resolved("a: \"x ${b\""),
            "f.yaml:1:7: a: the '}' of '${' is missing; write $${ for a plain ${\n"
            "  a: \"x ${b\"\n"
            "        ^");
  EXPECT_EQ(resolved("a: ${b c}"),
            "f.yaml:1:4: a: a reference is the path of a value; write ${model.width}, and $${ for "
            "a plain ${\n"
            "  a: ${b c}\n"
            "     ^");
  EXPECT_EQ(resolved("a: ${now:%Y}"),
            "f.yaml:1:4: a: only env: is known before a ':'; write ${model.width} or ${env:NAME}, "
            "and $${ for a plain ${\n"
            "  a: ${now:%Y}\n"
            "     ^");
  EXPECT_EQ(resolved("a: ${env:}"),
            "f.yaml:1:4: a: the name of an environment variable is letters, digits and _; write "
            "${env:NAME} or ${env:NAME,default}\n"
            "  a: ${env:}\n"
            "     ^");
  EXPECT_EQ(resolved("a: ${b..c}"),
            "f.yaml:1:4: a: a name is missing beside a '.'; write ${model.width}\n"
            "  a: ${b..c}\n"
            "     ^");
  EXPECT_EQ(resolved("b: [1, 2]\na: x${b}\n"),
            "f.yaml:2:5: a: ${b} is a list of 2, which cannot be a part of a text\n"
            "  a: x${b}\n"
            "      ^");
}

TEST(Interpolation, StandsInBracketsOfFilesAndArguments) {
  EXPECT_EQ(tree(read_yaml("[${a.b}, {x: ${env:N,[1, 2]}, ${k}: 1}, '${q}', $${a}]", "f")),
            "[${a.b}, {x: ${env:N,[1, 2]}, ${k}: 1}, \"${q}\", $${a}]");
  const Value list = read_yaml("[${a.b}, x]", "f");
  EXPECT_EQ(list.items()[1].at().text(), "f:1:10");
}

TEST(Interpolation, OfArgumentsHasTheirPlaces) {
  Problems problems;
  const Override change = read_override("k=${a.b},w${c}", problems);
  ASSERT_EQ(change.choices.size(), 2u) << problems.text();
  EXPECT_EQ(change.choices[0].text(), "${a.b}");
  EXPECT_EQ(change.choices[1].text(), "w${c}");
  EXPECT_EQ(change.choices[1].at().text(), "argument 'k=${a.b},w${c}':10");
  read_override("k=[1, ${a.b]", problems);
  EXPECT_EQ(
      problems.text(),
      "argument 'k=[1, ${a.b]':7: the '}' of '${' is missing; write $${ in quotes for a plain ${\n"
      "  k=[1, ${a.b]\n"
      "        ^");
}

TEST(Interpolation, HasBounds) {
  std::string bomb = "a0: [x, x, x, x, x, x, x, x, x]\n", chain = "a0: x\n", deep = "a0: x\n";
  std::string text = "a0: xxxxxxxxxx\n";
  for (int i = 1; i < 100; ++i) {
    const std::string k = "a" + std::to_string(i), r = "${a" + std::to_string(i - 1) + "}";
    bomb += k + ": [" + r + ", " + r + ", " + r + "]\n";
    chain = k + ": " + r + "\n" + chain;
    deep += k + ": [[[" + r + "]]]\n";
    text += k + ": " + r + r + "\n";
  }
  chain = "a200: ${a199}\n" + chain;
  for (int i = 199; i >= 100; --i)
    chain += "a" + std::to_string(i) + ": ${a" + std::to_string(i - 1) + "}\n";
  EXPECT_NE(resolved(bomb).find("references make the configuration larger than a file may be"),
            std::string::npos);
  EXPECT_NE(resolved(text).find("references make the configuration larger than a file may be"),
            std::string::npos);
  EXPECT_NE(resolved(chain).find("more than 64 references in a row"), std::string::npos);
  EXPECT_NE(resolved(deep).find("lists and maps more than 64 deep"), std::string::npos);
}

}  // namespace
}  // namespace assay
