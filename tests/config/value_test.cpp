#include "config/value.h"

#include <gtest/gtest.h>

#include "config/yaml.h"
#include "support/trees.h"

namespace assay {
namespace {

Value yaml(std::string_view text, const char* source = "f.yaml") {
  return read_yaml(text, source);
}
std::string merged(std::string_view below, std::string_view above) {
  return tree(merge(yaml(below), yaml(above)));
}

TEST(Value, IsNullByDefault) {
  EXPECT_TRUE(Value().is_null());
  EXPECT_EQ(Value().at().text(), "");
  EXPECT_EQ(Value().find("a"), nullptr);
  EXPECT_EQ(Value().text(), "");
}

TEST(Value, FindsByKeyInSmallAndLargeMaps) {
  for (const int size : {3, 100}) {
    Value map = Value::map({}, {});
    for (int i = 0; i < size; ++i)
      map = map.with("k" + std::to_string(i), Value::scalar(std::to_string(i), false, {}));
    for (int i = 0; i < size; ++i)
      EXPECT_EQ(map.find("k" + std::to_string(i))->text(), std::to_string(i));
    EXPECT_EQ(map.find("k"), nullptr);
    EXPECT_EQ(map.find("z"), nullptr);
  }
}

TEST(Value, FindsByPathThroughMapsAndLists) {
  const Value root = yaml("model: {layers: [{width: 8}, {width: 16}]}");
  EXPECT_EQ(root.at_path("model.layers.1.width")->text(), "16");
  for (const char* path : {"model.layers.2", "model.layers.x", "model.layers.-1",
                           "model.layers.0x0", "nothing", "model.layers.1.width.a", ""})
    EXPECT_EQ(root.at_path(path), nullptr) << path;
}

TEST(Value, ChangingMakesANewTree) {
  const Value first = yaml("{a: 1, b: 2}");
  const Value second =
      first.with("a", Value::scalar("3", false, {})).with("c", Value()).without("b");
  EXPECT_EQ(tree(first), "{a: 1, b: 2}");
  EXPECT_EQ(tree(second), "{a: 3, c: ~}");
}

TEST(Value, PlacesReadAsFilesAndArguments) {
  const auto source = std::make_shared<const Source>(Source{"f.yaml", ""});
  EXPECT_EQ((Location{source, 6, 27}.text()), "f.yaml:6:27");
  EXPECT_EQ((Location{source, 0, 3}.text()), "f.yaml:3");
  EXPECT_EQ((Location{source, 0, 0}.text()), "f.yaml");
}

TEST(Merge, GoesKeyByKeyThroughMaps) {
  EXPECT_EQ(merged("{a: {x: 1, y: 2}, b: 3}", "{a: {y: 4, z: 5}, c: 6}"),
            "{a: {x: 1, y: 4, z: 5}, b: 3, c: 6}");
}

TEST(Merge, ReplacesListsAndScalars) {
  EXPECT_EQ(merged("{a: [1, 2, 3], b: 1, c: {d: 1}}", "{a: [4], b: [5], c: 6}"),
            "{a: [4], b: [5], c: 6}");
}

TEST(Merge, NullRemoves) {
  EXPECT_EQ(merged("{a: 1, b: {c: 2, d: 3}}", "{a: null, b: {c: ~}, e: ~}"), "{b: {d: 3}}");
}

TEST(Merge, AnotherTypeReplacesTheSection) {
  EXPECT_EQ(merged("model: {type: gpt, width: 64}", "model: {type: lstm, layers: 2}"),
            "{model: {type: lstm, layers: 2}}");
  EXPECT_EQ(merged("model: {type: gpt, width: 64}", "model: {type: gpt, layers: 2}"),
            "{model: {type: gpt, width: 64, layers: 2}}");
  EXPECT_EQ(merged("model: {type: gpt, width: 64}", "model: {width: 8}"),
            "{model: {type: gpt, width: 8}}");
}

TEST(Merge, AnEmptyFileChangesNothing) {
  EXPECT_EQ(merged("a: 1", ""), "{a: 1}");
  EXPECT_EQ(merged("", "a: 1"), "{a: 1}");
}

TEST(Merge, KeepsThePlaceWhereEachValueWasWritten) {
  const Value root = merge(yaml("a: 1\nb: 2\n", "below"), yaml("b: 3\n", "above"));
  EXPECT_EQ(root.find("a")->at().text(), "below:1:4");
  EXPECT_EQ(root.find("b")->at().text(), "above:1:4");
  EXPECT_EQ(root.key_location(1).text(), "above:1:1");
}

TEST(Describe, SaysWhatAValueIs) {
  const Value root = yaml("{a: 12, b: \"12\", c: fast, d: [1, 2], e: {}, f: ~, g: true, h: 1_000}");
  const auto described = [&](const char* key) { return describe(*root.find(key)); };
  EXPECT_EQ(described("a"), "12");
  EXPECT_EQ(described("b"), "text \"12\"");
  EXPECT_EQ(described("c"), "text \"fast\"");
  EXPECT_EQ(described("d"), "a list of 2");
  EXPECT_EQ(described("e"), "a map");
  EXPECT_EQ(described("f"), "nothing");
  EXPECT_EQ(described("g"), "true");
  EXPECT_EQ(described("h"), "1_000");
}

}  // namespace
}  // namespace assay
