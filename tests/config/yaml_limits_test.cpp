#include <gtest/gtest.h>

#include <chrono>

#include "config/faults.h"
#include "config/interpolation.h"
#include "config/overrides.h"
#include "config/yaml.h"
#include "support/trees.h"

namespace assay {
namespace {

std::string repeat(std::string_view text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

TEST(YamlLimits, AllowsSixtyFourLevels) {
  const Value root = read_yaml(repeat("[", 64) + repeat("]", 64), "f.yaml");
  EXPECT_EQ(tree(root), repeat("[", 64) + repeat("]", 64));
}

TEST(YamlLimits, RefusesDeeperNestingOfEachKind) {
  EXPECT_EQ(fault(repeat("[", 65) + repeat("]", 65)),
            "f.yaml:1:65: lists and maps more than 64 deep\n"
            "  ...[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]...\n"
            "                                                       ^");
  EXPECT_EQ(fault(repeat("- ", 65)),
            "f.yaml:1:129: lists and maps more than 64 deep\n"
            "  ...- - - - - - - - - - - - - - - - - - - - - - - - - -\n"
            "                                                       ^");
  for (const char* opening : {"[", "{", "{a: ", "- ", "? "})
    EXPECT_TRUE(
        messages(fault(repeat(opening, 20'000))).ends_with(": lists and maps more than 64 deep"))
        << opening;
}

TEST(YamlLimits, RefusesNestingThatAliasesAdd) {
  EXPECT_EQ(messages(fault("- &a " + repeat("[", 40) + repeat("]", 40) + "\n- " + repeat("[", 30) +
                           "*a" + repeat("]", 30))),
            "f.yaml:2:33: lists and maps more than 64 deep");
}

TEST(YamlLimits, CountsValuesWithAliasesExpanded) {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 4; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            repeat("*a" + std::to_string(i - 1) + ", ", 10) + "]\n";
  EXPECT_EQ(read_yaml(text, "f.yaml").find("a3")->items().size(), 10u);
  EXPECT_EQ(messages(fault(text + "b: [" + repeat("*a3, ", 10) + "]\n")),
            "f.yaml:5:40: more than 100,000 keys and values, aliases counted as what they stand "
            "for; a configuration needs "
            "far fewer");
}

TEST(YamlLimits, AnAliasBombIsCheap) {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'z'; ++c) {
    const std::string before = std::string("*") + static_cast<char>(c - 1);
    text += std::string(1, c) + ": &" + c + " [" + repeat(before + ", ", 8) + before + "]\n";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NE(fault(text).find("more than 100,000 keys and values"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(YamlLimits, CountsTextWithAliasesExpanded) {
  EXPECT_EQ(messages(fault("a: &a \"" + repeat("x", 100'000) + "\"\nb: [" + repeat("*a, ", 1'000) +
                           "]\n")),
            "f.yaml:2:669: more than 16 MiB of text, aliases counted as what they stand for");
}

TEST(YamlLimits, RefusesAHundredMegabytesAtOnce) {
  EXPECT_EQ(fault("a: " + std::string(100'000'000, 'x')),
            "f.yaml: more than 16 MiB of configuration: is this the right file?");
}

// yaml-cpp keeps all of an outermost [ ] until it is closed: 300 bytes for each `1,`.
TEST(YamlLimits, StopsReadingAnEndlessList) {
  EXPECT_TRUE(
      messages(fault("[" + repeat("1,", 3'000'000))).ends_with("a configuration needs far fewer"));
}

TEST(YamlLimits, RefusesAScalarThatIsATable) {
  EXPECT_EQ(
      fault("a: \"" + std::string(600'000, ',') + "\"\n"),
      "f.yaml: more than 500,000 brackets and commas in one value; put data in a file of its own");
}

// The same limits for arguments and for what references make.

std::string refused(const std::string& argument) {
  Problems problems;
  EXPECT_TRUE(read_override(argument, problems).choices.empty());
  return messages(problems.text());
}

TEST(ArgumentLimits, RefuseAHundredMegabytesAtOnce) {
  const std::string said = ": 95.4 MiB of text, but 16 MiB is the limit: put it in a file";
  EXPECT_EQ(refused("k=" + std::string(100'000'000, 'x')),
            "argument 'k=" + std::string(58, 'x') + "...'" + said);
  EXPECT_EQ(refused("k:=\"" + std::string(100'000'000, 'x') + "\""),
            "argument 'k:=\"" + std::string(56, 'x') + "...'" + said);
}

TEST(ArgumentLimits, RefuseDepthAndNumberOfEachKind) {
  for (const char* start : {"k=", "k:="}) {
    const std::string deep = refused(start + repeat("[", 100'000) + repeat("]", 100'000));
    EXPECT_TRUE(deep.ends_with(": lists and maps more than 64 deep")) << deep.substr(0, 200);
    const std::string many = refused(start + ("[1" + repeat(",1", 300'000)) + "]");
    EXPECT_TRUE(many.ends_with("a configuration needs far fewer")) << many.substr(0, 200);
  }
  std::string keys = "{\"a\": 1";
  for (int i = 0; i < 90'000; ++i) keys += ", \"k" + std::to_string(i) + "\": 1";
  Problems problems;
  EXPECT_EQ(read_override("k:=" + keys + "}", problems).choices.at(0).entries().size(), 90'001u);
}

TEST(ReferenceLimits, RefuseBombsOfValuesAndOfText) {
  for (const bool of_text : {false, true}) {
    std::string text = of_text ? "r0: xxxxxxxxxx\n" : "r0: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 30; ++i) {
      const std::string before = "${r" + std::to_string(i - 1) + "}";
      text += "r" + std::to_string(i) + (of_text ? ": \"" : ": [");
      for (int k = 0; k < 10; ++k) text += before + (of_text || k == 9 ? "" : ", ");
      text += of_text ? "\"\n" : "]\n";
    }
    Problems problems;
    std::vector<Location> left;
    const auto start = std::chrono::steady_clock::now();
    interpolate(read_yaml(text, "f.yaml"), problems, left);
    EXPECT_NE(problems.text().find("references make the configuration larger than a file may be"),
              std::string::npos);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  }
}

}  // namespace
}  // namespace assay
