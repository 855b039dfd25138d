#include <gtest/gtest.h>

#include <chrono>

#include "config/yaml.h"
#include "support/trees.h"

namespace assay {
namespace {

std::string fault(std::string_view text) {
  return error_of([&] { read_yaml(text, "f.yaml"); });
}

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
            "f.yaml:1:65: lists and maps more than 64 deep");
  EXPECT_EQ(fault(repeat("- ", 65)), "f.yaml:1:129: lists and maps more than 64 deep");
  for (const char* opening : {"[", "{", "{a: ", "- ", "? "})
    EXPECT_TRUE(fault(repeat(opening, 20'000)).ends_with(": lists and maps more than 64 deep"))
        << opening;
}

TEST(YamlLimits, RefusesNestingThatAliasesAdd) {
  EXPECT_EQ(fault("- &a " + repeat("[", 40) + repeat("]", 40) + "\n- " + repeat("[", 30) + "*a" +
                  repeat("]", 30)),
            "f.yaml:2:33: lists and maps more than 64 deep");
}

TEST(YamlLimits, CountsValuesWithAliasesExpanded) {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 4; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
            repeat("*a" + std::to_string(i - 1) + ", ", 10) + "]\n";
  EXPECT_EQ(read_yaml(text, "f.yaml").find("a3")->items().size(), 10u);
  EXPECT_EQ(fault(text + "b: [" + repeat("*a3, ", 10) + "]\n"),
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
  EXPECT_EQ(fault("a: &a \"" + repeat("x", 100'000) + "\"\nb: [" + repeat("*a, ", 1'000) + "]\n"),
            "f.yaml:2:669: more than 16 MiB of text, aliases counted as what they stand for");
}

TEST(YamlLimits, RefusesAHundredMegabytesAtOnce) {
  EXPECT_EQ(fault("a: " + std::string(100'000'000, 'x')),
            "f.yaml: 95.4 MiB of configuration, but 16 MiB is the limit: is this the right file?");
}

// yaml-cpp keeps all of an outermost [ ] until it is closed: 300 bytes for each `1,`.
TEST(YamlLimits, StopsReadingAnEndlessList) {
  EXPECT_TRUE(fault("[" + repeat("1,", 3'000'000)).ends_with("a configuration needs far fewer"));
}

TEST(YamlLimits, RefusesAScalarThatIsATable) {
  EXPECT_EQ(
      fault("a: \"" + std::string(600'000, ',') + "\"\n"),
      "f.yaml: more than 500,000 brackets and commas in one value; put data in a file of its own");
}

}  // namespace
}  // namespace assay
