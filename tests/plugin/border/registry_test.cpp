// The registry: names, search path, and what it says.
#include <cmath>
#include <fstream>
#include <limits>

#include "border/border.h"

namespace assay {
namespace {

using RegistryTest = Border;

TEST_F(RegistryTest, OpensAPluginAndCreatesObjects) {
  install("halve");
  Registry registry({root()});
  Problems problems;
  const auto prepared = registry.prepare<Sampler>(section("halve"), "sampler", problems);
  ASSERT_EQ(problems.text(), "");
  std::vector<float> logits = {2, -std::numeric_limits<float>::infinity()};
  prepared.create({})->apply(logits);
  EXPECT_EQ(logits[0], 1);
}

TEST_F(RegistryTest, KnowsWhatAPluginSaysOfItself) {
  const std::filesystem::path file = install("halve");
  Registry registry({root()});
  Problems problems;
  const auto entry = registry.open("sampler", "halve", at(), problems);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->facts.kind, "sampler");
  EXPECT_EQ(entry->facts.name, "halve");
  EXPECT_EQ(entry->facts.version, ASSAY_PROJECT_VERSION);
  EXPECT_EQ(entry->facts.summary, "Multiplies every logit.");
  EXPECT_EQ(entry->facts.file, file);
  EXPECT_EQ(entry->sha256.size(), 64U);
  ASSERT_EQ(entry->options.entries.size(), 1U);
  EXPECT_EQ(entry->options.entries[0].info.name, "factor");
}

TEST_F(RegistryTest, OpensAPluginOnce) {
  install("halve");
  Registry registry({root()});
  Problems problems;
  EXPECT_EQ(registry.open("sampler", "halve", at(), problems),
            registry.open("sampler", "halve", at(), problems));
}

TEST_F(RegistryTest, TwoRegistriesMayOpenTheSameFile) {
  install("halve");
  Problems problems;
  Registry first({root()}), second({root()});
  EXPECT_TRUE(first.open("sampler", "halve", at(), problems));
  EXPECT_TRUE(second.open("sampler", "halve", at(), problems));
}

TEST_F(RegistryTest, TakesAClassWithoutOptionsAndAVersionOfItsOwn) {
  install("optionless");
  Registry registry({root()});
  Problems problems;
  const auto prepared = registry.prepare<Sampler>(section("optionless"), "sampler", problems);
  ASSERT_EQ(problems.text(), "");
  EXPECT_EQ(prepared.entry().facts.version, "3.1");
  EXPECT_TRUE(prepared.entry().options.entries.empty());
  EXPECT_TRUE(prepared.create({}));
}

TEST_F(RegistryTest, ResolvesASectionWithItsDefaults) {
  install("halve");
  Registry registry({root()});
  Problems problems;
  const Value resolved =
      registry.prepare<Sampler>(section("halve"), "sampler", problems).resolved();
  EXPECT_EQ(resolved.find("type")->text(), "halve");
  EXPECT_EQ(resolved.find("factor")->text(), "0.5");
}

TEST_F(RegistryTest, ReadsOptionsAndReportsThoseThatDoNotHold) {
  install("halve");
  Registry registry({root()});
  Problems problems;
  const Value wrong = section("halve").with("factor", Value::scalar("-1", false, at()));
  EXPECT_FALSE(registry.prepare<Sampler>(wrong, "sampler", problems));
  EXPECT_EQ(problems.size(), 1U);
}

TEST_F(RegistryTest, AnUnknownNameListsNearOnesAndAll) {
  install("halve");
  install("optionless");
  EXPECT_EQ(said_of("halv"),
            "a.yaml:3:9: no sampler 'halv'; did you mean 'halve'? (samplers: halve, optionless)");
}

TEST_F(RegistryTest, AnUnknownNameThatIsLikeNoOtherListsAll) {
  install("halve");
  EXPECT_EQ(said_of("nucleus"), "a.yaml:3:9: no sampler 'nucleus' (samplers: halve)");
}

TEST_F(RegistryTest, AnUnknownNameListsTheRefusedWithTheirReasons) {
  install("halve");
  install("no_plugin");
  EXPECT_EQ(
      said_of("halv"),
      "a.yaml:3:9: no sampler 'halv'; did you mean 'halve'? (samplers: halve; refused: "
      "'no_plugin', ROOT/samplers/no_plugin.so is a shared library, but no plugin: its source "
      "has no ASSAY_PLUGIN)");
}

TEST_F(RegistryTest, WithoutPluginsSaysWhereItLooked) {
  EXPECT_EQ(said_of("halve"),
            "a.yaml:3:9: no sampler 'halve' (there is no usable sampler in ROOT)");
}

TEST_F(RegistryTest, ANameIsNoPath) {
  install("halve", "halve");
  std::filesystem::create_directories(root() / "samplers");
  EXPECT_EQ(said_of("../halve"),
            "a.yaml:3:9: no sampler '../halve' (there is no usable sampler in ROOT)");
}

TEST_F(RegistryTest, ASectionWithoutTypeSaysWhatThereIs) {
  install("halve");
  Registry registry({root()});
  Problems problems;
  registry.prepare<Sampler>(Value::map({}, at()), "sampler", problems);
  registry.prepare<Sampler>(Value::scalar("halve", false, at()), "sampler", problems);
  registry.prepare<Sampler>(Value::map({{"type", Value::null(at())}}, at()), "sampler", problems);
  EXPECT_EQ(
      problems.text(),
      "a.yaml:3:9: sampler: wanted a map that says its type, got a map (samplers: halve)\n"
      "a.yaml:3:9: sampler: wanted a map that says its type, got text \"halve\" (samplers: "
      "halve)\n"
      "a.yaml:3:9: sampler.type: wanted the name of a sampler, got nothing (samplers: halve)");
}

TEST_F(RegistryTest, TheFirstFolderOfTheSearchPathWinsAndTheOtherIsShadowed) {
  const auto second = install("halve");
  const auto first = root() / "first/samplers/halve.so";
  std::filesystem::create_directories(first.parent_path());
  std::filesystem::copy_file(second, first);
  Registry registry({root() / "first", root()});
  Problems problems;
  EXPECT_EQ(registry.open("sampler", "halve", at(), problems)->facts.file, first);
  const auto shadowed = registry.shadowed();
  ASSERT_EQ(shadowed.size(), 1U);
  EXPECT_EQ(shadowed[0].first.file, second);
  EXPECT_EQ(shadowed[0].second.file, first);
}

TEST_F(RegistryTest, RemarksOnAPluginInUseThatStandsBeforeAnother) {
  install("halve");
  install("optionless");
  const auto first = root() / "first/samplers/halve.so";
  std::filesystem::create_directories(first.parent_path());
  std::filesystem::copy_file(built("halve"), first);
  Registry registry({root() / "first", root()});
  Problems problems;
  registry.open("sampler", "optionless", at(), problems);
  EXPECT_EQ(registry.remarks(), std::vector<std::string>{});
  registry.open("sampler", "halve", at(), problems);
  ASSERT_EQ(registry.remarks().size(), 1U);
  EXPECT_EQ(plain(registry.remarks()[0]),
            "sampler 'halve' is ROOT/first/samplers/halve.so, not ROOT/samplers/halve.so, which "
            "stands later on the search path");
}

TEST_F(RegistryTest, AFolderThatIsNamedTwiceShadowsNothing) {
  install("halve");
  Registry registry({root(), root() / "." / "samplers" / ".."});
  EXPECT_TRUE(registry.shadowed().empty());
}

TEST_F(RegistryTest, ListsEveryPluginWithItsFactsOrWhyItIsRefused) {
  install("halve");
  install("crashes");
  install("halve", "schedulers/halve");
  Registry registry({root()});
  const std::vector<PluginFacts> all = registry.list();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].kind + " " + all[0].name + " " + all[0].summary,
            "sampler crashes Crashes when it is opened.");
  EXPECT_NE(all[0].refused, "");
  EXPECT_EQ(all[1].kind + " " + all[1].name + " " + all[1].refused, "sampler halve ");
  EXPECT_EQ(all[2].kind + " " + all[2].name, "scheduler halve");
  EXPECT_NE(all[2].refused, "");
}

TEST_F(RegistryTest, TheDefaultPathStartsWithTheFoldersGivenAndEndsWithTheBundled) {
  ::setenv("ASSAY_PLUGIN_PATH", "/one::/two", 1);
  ::setenv("HOME", "/home/someone", 1);
  const auto path = default_plugin_path({"/given"});
  ::unsetenv("ASSAY_PLUGIN_PATH");
  ASSERT_EQ(path.size(), 6U);
  EXPECT_EQ(path[0], "/given");
  EXPECT_EQ(path[1], "plugins");
  EXPECT_EQ(path[2], "/one");
  EXPECT_EQ(path[3], "/two");
  EXPECT_EQ(path[4], "/home/someone/.local/lib/assay/plugins");
  EXPECT_EQ(path[5], ASSAY_BUNDLED_PLUGINS);
}

}  // namespace
}  // namespace assay
