#include "config/yaml.h"

#include <gtest/gtest.h>

#include "config/faults.h"
#include "support/trees.h"

namespace assay {
namespace {

std::string tree_of(std::string_view text) {
  return tree(read_yaml(text, "f.yaml"));
}

TEST(Yaml, ReadsMapsListsAndScalarsAsWritten) {
  EXPECT_EQ(tree_of("name: gpt\nmodel: {type: gpt, widths: [64, 0x10]}\nsteps:\n- 1\n- 010\n"),
            "{name: gpt, model: {type: gpt, widths: [64, 0x10]}, steps: [1, 010]}");
  EXPECT_EQ(tree_of("a: 'it''s'\nb: \"x\\n\\u00e9\"\nc: |\n  one\n  two\nd: plain text\n"),
            "{a: \"it's\", b: \"x\n\xC3\xA9\", c: \"one\ntwo\n\", d: plain text}");
}

TEST(Yaml, EmptyTextIsNull) {
  for (const char* text : {"", "\n\n", "# a comment", "---\n", "~", "null"})
    EXPECT_EQ(tree_of(text), "~") << text;
}

TEST(Yaml, TellsNullFromTheTextNull) {
  EXPECT_EQ(tree_of("a:\nb: ~\nc: null\nd: \"null\"\ne: ''\n"),
            "{a: ~, b: ~, c: ~, d: \"null\", e: \"\"}");
}

// D55: words that other readers turn into truth values and numbers.
TEST(Yaml, KeepsWordsAndVersionsAsText) {
  const Value root = read_yaml("name: no\nversion: 1.10\n", "f.yaml");
  EXPECT_EQ(root.find("name")->text(), "no");
  EXPECT_EQ(root.find("version")->text(), "1.10");
}

TEST(Yaml, AliasesAreCopiesOfTheirAnchor) {
  EXPECT_EQ(tree_of("a: &x {b: [1, 2]}\nc: *x\nd: [*x]\n"),
            "{a: {b: [1, 2]}, c: {b: [1, 2]}, d: [{b: [1, 2]}]}");
  EXPECT_EQ(tree_of("a: &x 1\nb: &x 2\nc: *x\n"), "{a: 1, b: 2, c: 2}");
}

// D02.
TEST(Yaml, MergesAMapBelowTheKeysOfTheOwner) {
  EXPECT_EQ(tree_of("base: &b {lr: 0.1, steps: 5}\nrun: {<<: *b, steps: 7}\n"),
            "{base: {lr: 0.1, steps: 5}, run: {lr: 0.1, steps: 7}}");
  EXPECT_EQ(tree_of("base: &b {lr: 0.1, steps: 5}\nrun: {steps: 7, <<: *b}\n"),
            "{base: {lr: 0.1, steps: 5}, run: {steps: 7, lr: 0.1}}");
}

TEST(Yaml, MergesAListOfMapsOfWhichTheEarlierWins) {
  EXPECT_EQ(tree_of("- &a {x: 1, y: 1}\n- &b {y: 2, z: 2}\n- {<<: [*a, *b], z: 3}\n"),
            "[{x: 1, y: 1}, {y: 2, z: 2}, {x: 1, y: 1, z: 3}]");
}

TEST(Yaml, AQuotedMergeKeyIsAKey) {
  EXPECT_EQ(tree_of("\"<<\": {a: 1}\n"), "{<<: {a: 1}}");
}

TEST(Yaml, RefusesToMergeWhatIsNoMap) {
  EXPECT_EQ(fault("a: 1\n<<: 5\n"),
            "f.yaml:2:1: '<<' merges a map or a list of maps; got 5\n"
            "  <<: 5\n"
            "  ^");
  EXPECT_EQ(fault("a: 1\n<<: [{b: 1}, c]\n"),
            "f.yaml:2:1: '<<' merges a map or a list of maps; got a list of 2\n"
            "  <<: [{b: 1}, c]\n"
            "  ^");
}

// D09.
TEST(Yaml, RefusesADuplicateKeyWithBothPlaces) {
  EXPECT_EQ(fault("train: {lr: 0.1}\nmodel: {}\ntrain: {lr: 0.2}\n"),
            "f.yaml:3:1: 'train' stands here a second time; first at f.yaml:1:1; keep one\n"
            "  train: {lr: 0.2}\n"
            "  ^");
  EXPECT_EQ(fault("a: {b: 1, \"b\": 2}\n"),
            "f.yaml:1:11: 'b' stands here a second time; first at f.yaml:1:5; keep one\n"
            "  a: {b: 1, \"b\": 2}\n"
            "            ^");
}

TEST(Yaml, RefusesASecondDocument) {
  EXPECT_EQ(fault("a: 1\n---\nb: 2\n"),
            "f.yaml:2:1: a second document; keep one, and remove the rest from this '---' on\n"
            "  ---\n"
            "  ^");
  EXPECT_EQ(fault("a: 1\n---\n"),
            "f.yaml:2:1: a second document; keep one, and remove the rest from this '---' on\n"
            "  ---\n"
            "  ^");
  EXPECT_EQ(
      fault("a: 1\n...\nb: 2\n"),
      "f.yaml:3:1: this does not belong to the document above; check the indentation and quotes\n"
      "  b: 2\n"
      "  ^");
}

// Each of these loses its tail with YAML::Load.
TEST(Yaml, RefusesWhatStandsBehindTheDocument) {
  const std::string message =
      ": this does not belong to the document above; check the indentation and quotes";
  EXPECT_EQ(fault("- 1\n- 2\nc: 3\n"), "f.yaml:3:1" + message + "\n  c: 3\n  ^");
  EXPECT_EQ(messages(fault("  a: 1\nb: 2\n")), "f.yaml:2:1" + message);
  EXPECT_EQ(messages(fault("[1, 2]\nb: 3\n")), "f.yaml:2:1" + message);
  EXPECT_EQ(messages(fault("\"a\" \"b\"\n")), "f.yaml:1:5" + message);
  EXPECT_EQ(fault("a: 1\n%b: 2\n"),
            "f.yaml:2:1: a line that starts with '%' is a YAML directive, which is refused; remove "
            "or indent it\n"
            "  %b: 2\n"
            "  ^");
  EXPECT_EQ(messages(fault("a: 1\n\x04"
                           "b: 2\n")),
            "f.yaml:2:1: control character 0x04; write \"\\x04\" in double quotes");
}

TEST(Yaml, RefusesAnUnclosedQuoteWhereItOpens) {
  EXPECT_EQ(fault("a: \"x\nb: 2\n"),
            "f.yaml:1:4: the closing quote is missing\n"
            "  a: \"x\n"
            "     ^");
  EXPECT_EQ(fault("a: 'it''s\n"),
            "f.yaml:1:4: the closing quote is missing\n"
            "  a: 'it''s\n"
            "     ^");
  EXPECT_EQ(fault("a: &x \"y\\\"\n"),
            "f.yaml:1:7: the closing quote is missing\n"
            "  a: &x \"y\\\"\n"
            "        ^");
}

TEST(Yaml, RefusesAKeyWithoutAColon) {
  EXPECT_EQ(fault("a: 1\ntrain\n"),
            "f.yaml:2:1: 'train' has no value: a ':' is missing after it\n"
            "  train\n"
            "  ^");
  EXPECT_EQ(fault("model: {type: gpt, tied}\n"),
            "f.yaml:1:20: 'tied' has no value: a ':' is missing after it\n"
            "  model: {type: gpt, tied}\n"
            "                     ^");
}

TEST(Yaml, RefusesTags) {
  const std::string message = ": tags are refused; remove '!', or put the text in quotes";
  EXPECT_EQ(messages(fault("a: !!str 3\n")), "f.yaml:1:4" + message);
  EXPECT_EQ(messages(fault("a: ! 3\n")), "f.yaml:1:4" + message);
  EXPECT_EQ(messages(fault("a: &x !t [3]\n")), "f.yaml:1:7" + message);
  EXPECT_EQ(messages(fault("--- !map {a: 1}\n")), "f.yaml:1:5" + message);
}

TEST(Yaml, RefusesKeysThatAreNotText) {
  EXPECT_EQ(fault("? [a, b]\n: 1\n"),
            "f.yaml:1:3: a key must be text; got a list of 2\n"
            "  ? [a, b]\n"
            "    ^");
  EXPECT_EQ(fault("null: 1\n"),
            "f.yaml:1:1: a key must be text; got nothing (put it in quotes)\n"
            "  null: 1\n"
            "  ^");
}

TEST(Yaml, RefusesANothingBetweenCommas) {
  EXPECT_EQ(fault("a: [1,,2]\n"),
            "f.yaml:1:7: nothing stands between the commas; write a value, or null\n"
            "  a: [1,,2]\n"
            "        ^");
}

TEST(Yaml, SaysWhatToDoAboutSyntaxErrors) {
  EXPECT_EQ(fault("a: {b: 1\n"),
            "f.yaml:1:4: this bracket is never closed; close it, or put the text in quotes\n"
            "  a: {b: 1\n"
            "     ^");
  EXPECT_EQ(fault("a: b: c\n"),
            "f.yaml:1:5: ':' cannot stand here; put the text in quotes, or check the indentation\n"
            "  a: b: c\n"
            "      ^");
  EXPECT_EQ(fault("a: 1\n\tb: 2\n"),
            "f.yaml:2:1: a tab in the indentation; use spaces\n"
            "   b: 2\n"
            "  ^");
  EXPECT_EQ(fault("a:\n  b: 1\n c: 2\n"),
            "f.yaml:3:2: this does not continue the map above; check the indentation, and put text "
            "that contains signs such as ':' in quotes\n"
            "   c: 2\n"
            "   ^");
  EXPECT_EQ(fault("a: @x\n"),
            "f.yaml:1:4: text cannot start with this sign; put it in quotes\n"
            "  a: @x\n"
            "     ^");
  EXPECT_EQ(fault("a: *x\n"),
            "f.yaml:1:4: no anchor ('&name') of this alias ('*name') stands above; put the text in "
            "quotes if none is meant\n"
            "  a: *x\n"
            "     ^");
  EXPECT_EQ(fault("a: \"\\q\"\n"),
            "f.yaml:1:5: no such escape in double quotes; write \\\\ for a backslash, or use "
            "single quotes\n"
            "  a: \"\\q\"\n"
            "      ^");
}

TEST(Yaml, RefusesAnAliasInsideItsAnchor) {
  EXPECT_EQ(fault("&r {a: *r}\n"),
            "f.yaml:1:8: an alias inside the value that it stands for; it would never end\n"
            "  &r {a: *r}\n"
            "         ^");
}

TEST(Yaml, RefusesOtherThanUtf8WithTheByte) {
  EXPECT_EQ(messages(fault("a: 1\nb: \xFF\n")),
            "f.yaml:2:4: byte 8 (0xff) is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(messages(fault("\xFF\xFE"
                           "a\0:\0")),
            "f.yaml:1:1: byte 0 (0xff) is not UTF-8; save the file as UTF-8");
}

// D39, the configuration part.
TEST(Yaml, ByteOrderMarkAndCarriageReturnsChangeNothing) {
  const std::string plain = "a: 1\nb: |\n  x\n  y\nc: \"p\n  q\"\n";
  std::string dos = "\xEF\xBB\xBF";
  for (const char c : plain) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(tree_of(dos), tree_of(plain));
  EXPECT_EQ(fault(dos + "a: 2\r\n"), fault(plain + "a: 2\n"));
}

TEST(Yaml, RefusesALoneCarriageReturn) {
  EXPECT_EQ(messages(fault("a: 1\rb: 2\r")),
            "f.yaml:1:5: a carriage return without a line feed; save the file with Unix line ends");
}

TEST(Yaml, PlacesCountCharactersFromOne) {
  const Value root = read_yaml("\xC3\xA9: {\xC3\xBC: 1, z: [2, \"q\"]}\nn:\nm: &a 5\n", "f.yaml");
  const Value& map = *root.find("\xC3\xA9");
  EXPECT_EQ(map.at().text(), "f.yaml:1:4");
  EXPECT_EQ(map.key_location(1).text(), "f.yaml:1:11");
  EXPECT_EQ(map.find("\xC3\xBC")->at().text(), "f.yaml:1:8");
  EXPECT_EQ(map.at_path("z.0")->at().text(), "f.yaml:1:15");
  EXPECT_EQ(map.at_path("z.1")->at().text(), "f.yaml:1:18");
  EXPECT_EQ(root.find("n")->at().text(), "f.yaml:2:1");  // where nothing stands: its key
  EXPECT_EQ(root.find("m")->at().text(), "f.yaml:3:7");  // behind the anchor
}

TEST(Yaml, MergedKeysKeepTheirOwnPlaces) {
  const Value root = read_yaml("a: &a {x: 1}\nb: {<<: *a}\n", "f.yaml");
  EXPECT_EQ(root.at_path("b.x")->at().text(), "f.yaml:1:11");
  EXPECT_EQ(root.find("b")->key_location(0).text(), "f.yaml:1:8");
}

TEST(Yaml, CollectsWhatDoesNotEndTheReading) {
  Problems problems;
  const Value root = read_yaml("a: 1\na: 2\nb: !x 3\nc: 4\n", "f.yaml", problems);
  EXPECT_EQ(tree(root), "{a: 1, b: 3, c: 4}");
  EXPECT_EQ(problems.text(),
            "f.yaml:2:1: 'a' stands here a second time; first at f.yaml:1:1; keep one\n"
            "  a: 2\n"
            "  ^\n"
            "f.yaml:3:4: tags are refused; remove '!', or put the text in quotes\n"
            "  b: !x 3\n"
            "     ^");
}

}  // namespace
}  // namespace assay
