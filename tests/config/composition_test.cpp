#include "config/composition.h"

#include <gtest/gtest.h>

#include <fstream>

#include "config/yaml.h"
#include "support/temporary_folder.h"
#include "support/trees.h"

namespace assay {
namespace {

// A folder of files as search path; texts show it as DIR.
class Composition : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const auto file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  Composer composer() const {
    return Composer(SearchPath{{{folder_.path(), "test"}}}, {"model", "train"});
  }

  // The composed tree, or the problems.
  std::string composed(const std::string& name, const std::set<std::string>& left_out = {}) const {
    Problems problems;
    Composer files = composer();
    const Value root = merged(files.read(folder_ / name, left_out, problems));
    EXPECT_EQ(files.incomplete(), !problems.empty());
    return problems.empty() ? tree(root) : shortened(problems.text());
  }

  // What an argument becomes, with the section model known.
  std::string with_groups(const std::string& argument) const {
    Problems problems;
    Override change = read_override(argument, problems);
    change = composer().with_groups(std::move(change), problems);
    if (!problems.empty()) return shortened(problems.text());
    std::string text;
    for (std::size_t i = 0; i < change.choices.size(); ++i)
      text += (i ? " | " : "") + (change.names.empty() ? "" : change.names[i] + " = ") +
              tree(change.choices[i]);
    return text;
  }

  std::string shortened(std::string text) const {
    const std::string long_name = folder_.path().string();
    for (std::size_t at; (at = text.find(long_name)) != std::string::npos;)
      text.replace(at, long_name.size(), "DIR");
    return text;
  }

  TemporaryFolder folder_;
};

TEST_F(Composition, HasTheDefaultsBelowTheFile) {
  write("base.yaml", "seed: 1\nmodel: {type: gpt, width: 64, tags: [a, b]}\n");
  write("more.yaml", "seed: 2\nmodel: {heads: 4}\n");
  write("e.yaml", "model: {width: 8, tags: [c]}\ndefaults: [base.yaml, more]\n");
  EXPECT_EQ(composed("e.yaml"), "{seed: 2, model: {type: gpt, width: 8, tags: [c], heads: 4}}");
}

TEST_F(Composition, PutsAGroupIntoItsSection) {
  write("model/small.yaml", "{type: gpt, width: 8}");
  write("a/b/fast.yaml", "x: 1");
  write("e.yaml", "defaults: [{model: small, a.b: fast}]\nmodel: {heads: 2}\n");
  EXPECT_EQ(composed("e.yaml"), "{model: {type: gpt, width: 8, heads: 2}, a: {b: {x: 1}}}");
}

TEST_F(Composition, AnotherTypeReplacesTheSectionOfALowerPart) {
  write("base.yaml", "model: {type: gpt, width: 64}\n");
  write("e.yaml", "defaults: [base]\nmodel: {type: ngram}\n");
  EXPECT_EQ(composed("e.yaml"), "{model: {type: ngram}}");
}

TEST_F(Composition, NullTakesAwayWhatALowerPartSays) {
  write("base.yaml", "{model: {width: 64, heads: 4}, seed: 1}");
  write("e.yaml", "defaults: [base]\nmodel: {width: null}\nseed: ~\n");
  EXPECT_EQ(composed("e.yaml"), "{model: {heads: 4}}");
}

TEST_F(Composition, PartsHaveDefaultsOfTheirOwnRelativeToThemselves) {
  write("common/lowest.yaml", "{a: 0, b: 0, c: 0}");
  write("common/base.yaml", "{defaults: [lowest.yaml], b: 1, c: 1}");
  write("exp/e.yaml", "{defaults: [../common/base.yaml], c: 2}");
  EXPECT_EQ(composed("exp/e.yaml"), "{a: 0, b: 1, c: 2}");
}

TEST_F(Composition, DefaultsOfAGroupStandInItsSection) {
  write("model/base.yaml", "{type: gpt, heads: 4}");
  write("model/norm/pre.yaml", "{where: pre}");
  write("model/wide.yaml", "{defaults: [base.yaml, {norm: pre}], width: 128}");
  write("e.yaml", "defaults: [{model: wide}]");
  EXPECT_EQ(composed("e.yaml"), "{model: {type: gpt, heads: 4, norm: {where: pre}, width: 128}}");
}

TEST_F(Composition, LeavesOutGroupsThatTheCommandLineChooses) {
  write("model/small.yaml", "{type: gpt, width: 8}");
  write("base.yaml", "{defaults: [{model: small}], seed: 1}");
  write("e.yaml", "{defaults: [base], model: {heads: 2}}");
  EXPECT_EQ(composed("e.yaml", {"model"}), "{seed: 1, model: {heads: 2}}");
}

// D02: an alias and its anchor are equal, but a change of one is none of the other.
TEST_F(Composition, AnchorsAndMergeKeysDoNotShareStateWithLaterParts) {
  write("base.yaml", "a: &x {lr: 0.1, steps: 5}\nb: {<<: *x, steps: 7}\nc: *x\n");
  write("e.yaml", "{defaults: [base], c: {lr: 9}}");
  EXPECT_EQ(composed("e.yaml"),
            "{a: {lr: 0.1, steps: 5}, b: {lr: 0.1, steps: 7}, c: {lr: 9, steps: 5}}");
}

TEST_F(Composition, TakesNamesFromTheEnvironment) {
  write("model/small.yaml", "{width: 8}");
  write("e.yaml", "defaults: [{model: \"${env:ASSAY_TEST_NOT_SET,small}\"}]");
  EXPECT_EQ(composed("e.yaml"), "{model: {width: 8}}");
  write("f.yaml", "{seed: 1, defaults: [{model: \"m${seed}\"}]}");
  EXPECT_EQ(composed("f.yaml"),
            "DIR/f.yaml:1:32: defaults.0.model: only the environment can be referred to here: "
            "${env:NAME}\n"
            "  {seed: 1, defaults: [{model: \"m${seed}\"}]}\n"
            "                                 ^");
}

TEST_F(Composition, KnowsTheOrderOfItsParts) {
  write("model/small.yaml", "width: 8");
  write("base.yaml", "{defaults: [{model: small}], seed: 1}");
  write("e.yaml", "defaults: [base]");
  Problems problems;
  Composer files = composer();
  const ConfigPart file = files.read(folder_ / "e.yaml", {}, problems);
  std::string order;
  for (const ConfigPart* part : parts_in_order(file)) order += part->title + "; ";
  EXPECT_EQ(shortened(order), "model: small; base; DIR/e.yaml; ");
}

TEST_F(Composition, SaysWhichPartIsMissingAndWhatIsNear) {
  write("model/small.yaml", "");
  write("model/large.yaml", "");
  write("base.yaml", "");
  write("e.yaml",
        "defaults:\n"
        "  - bases\n"
        "  - model: smal\n"
        "  - model: quick\n"
        "  - optimizer: adam\n"
        "  - model: ../base\n"
        "  - gone/at/all.yaml\n");
  EXPECT_EQ(composed("e.yaml"),
            "DIR/e.yaml:2:5: defaults: no file 'bases.yaml' beside this one or on the search path "
            "(see assay config --searchpath); did you mean 'base.yaml'?\n"
            "    - bases\n"
            "      ^\n"
            "DIR/e.yaml:3:12: defaults: no file 'model/smal.yaml' on the search path (see assay "
            "config --searchpath); did you mean 'small'?\n"
            "    - model: smal\n"
            "             ^\n"
            "DIR/e.yaml:4:12: defaults: no file 'model/quick.yaml' on the search path (see assay "
            "config --searchpath); model/ has large and small\n"
            "    - model: quick\n"
            "             ^\n"
            "DIR/e.yaml:5:16: defaults: no file 'optimizer/adam.yaml' on the search path (see "
            "assay config --searchpath); no folder 'optimizer/' is there\n"
            "    - optimizer: adam\n"
            "                 ^\n"
            "DIR/e.yaml:6:12: defaults: no file 'model/../base.yaml' on the search path (see assay "
            "config --searchpath); model/ has large and small\n"
            "    - model: ../base\n"
            "             ^\n"
            "DIR/e.yaml:7:5: defaults: no file 'gone/at/all.yaml' beside this one or on the search "
            "path (see assay config --searchpath)\n"
            "    - gone/at/all.yaml\n"
            "      ^");
}

TEST_F(Composition, RefusesDefaultsThatAreNoListOfNames) {
  const auto refused = [&](const std::string& yaml) {
    write("e.yaml", yaml);
    return composed("e.yaml");
  };
  EXPECT_EQ(refused("defaults: base.yaml"),
            "DIR/e.yaml:1:11: defaults: wanted a list of files and groups, such as [base.yaml, "
            "{model: gpt-small}]; got text \"base.yaml\"\n"
            "  defaults: base.yaml\n"
            "            ^");
  EXPECT_EQ(refused("defaults: {model: small}"),
            "DIR/e.yaml:1:11: defaults: wanted a list of files and groups, such as [base.yaml, "
            "{model: gpt-small}]; got a map\n"
            "  defaults: {model: small}\n"
            "            ^");
  EXPECT_EQ(refused("defaults: [[a]]"),
            "DIR/e.yaml:1:12: defaults: wanted a file (base.yaml) or a group ({model: gpt-small}); "
            "got a list of 1\n"
            "  defaults: [[a]]\n"
            "             ^");
  EXPECT_EQ(
      refused("defaults: [{model: }]"),
      "DIR/e.yaml:1:13: defaults: wanted the name of a file in the folder 'model/'; got nothing\n"
      "  defaults: [{model: }]\n"
      "              ^");
  EXPECT_EQ(refused("defaults: [_self_]"),
            "DIR/e.yaml:1:12: defaults: the order is fixed: the defaults, then this file, then the "
            "command line; remove _self_\n"
            "  defaults: [_self_]\n"
            "             ^");
}

TEST_F(Composition, RefusesAPartThatIsNoMap) {
  write("model/small.yaml", "[1, 2]");
  write("e.yaml", "defaults: [{model: small}]");
  EXPECT_EQ(composed("e.yaml"),
            "DIR/model/small.yaml:1:1: wanted a map of options of model; got a list of 2\n"
            "  [1, 2]\n"
            "  ^");
}

TEST_F(Composition, TellsTheWayOfAFileThatIncludesItself) {
  write("a.yaml", "defaults: [b]");
  write("b.yaml", "defaults: [sub/../a.yaml]");
  write("sub/x.yaml", "");
  EXPECT_EQ(composed("a.yaml"),
            "DIR/b.yaml:1:12: defaults: DIR/a.yaml includes itself: DIR/a.yaml -> DIR/b.yaml -> "
            "DIR/a.yaml\n"
            "  defaults: [sub/../a.yaml]\n"
            "             ^");
}

TEST_F(Composition, RefusesMoreFilesThanAnyoneNeeds) {
  for (int i = 0; i < 12; ++i) {
    const std::string next = "n" + std::to_string(i + 1);
    write("n" + std::to_string(i) + ".yaml", "defaults: [" + next + ", " + next + "]");
  }
  write("n12.yaml", "x: 1");
  EXPECT_EQ(composed("n0.yaml"),
            "DIR/n11.yaml:1:17: defaults: more than 1,000 files in one configuration\n"
            "  defaults: [n12, n12]\n"
            "                  ^");
}

// D09, D11 in a part: places are those of the part.
TEST_F(Composition, FaultsOfAPartAreToldWithItsPlace) {
  write("base.yaml", "seed: 1\nseed: 2\n");
  write("e.yaml", "defaults: [base]");
  Problems problems;
  Composer files = composer();
  files.read(folder_ / "e.yaml", {}, problems);
  EXPECT_EQ(
      shortened(problems.text()),
      "DIR/base.yaml:2:1: 'seed' stands here a second time; first at DIR/base.yaml:1:1; keep one\n"
      "  seed: 2\n"
      "  ^");
  EXPECT_FALSE(files.incomplete());
}

TEST_F(Composition, ChoosesGroupsOnTheCommandLine) {
  write("model/small.yaml", "{width: 8}");
  write("model/wide.yaml", "{defaults: [small], heads: 2}");
  write("data/own.yaml", "{x: 1}");
  EXPECT_EQ(with_groups("model=small"), "small = {width: 8}");
  EXPECT_EQ(with_groups("model=small,wide"), "small = {width: 8} | wide = {width: 8, heads: 2}");
  EXPECT_EQ(with_groups("data=own"), "own = {x: 1}");
  EXPECT_EQ(with_groups("data=other"), "other");  // no section and no file: a value
  EXPECT_EQ(with_groups("model={width: 1}"), "{width: 1}");
  EXPECT_EQ(with_groups("model=smal"),
            "argument 'model=smal':7: model: no file 'model/smal.yaml' on the search path (see "
            "assay config --searchpath); did you mean 'small'?\n"
            "  model=smal\n"
            "        ^");
}

TEST_F(Composition, TakesANameInPlaceOfASectionForAGroup) {
  write("model/small.yaml", "{type: gpt, width: 8}");
  write("model/wide.yaml", "{type: gpt, width: 64, heads: 2}");
  write("e.yaml", "model: small\ndefaults: [{model: wide}]\n");
  EXPECT_EQ(composed("e.yaml"), "{model: {type: gpt, width: 8, heads: 2}}");
  write("above.yaml", "defaults: [e]\nmodel: {heads: 1}\n");
  EXPECT_EQ(composed("above.yaml"), "{model: {type: gpt, width: 8, heads: 1}}");
  EXPECT_EQ(composed("e.yaml", {"model"}), "{}");  // the command line chooses
  write("wrong.yaml", "model: smal\n");
  EXPECT_EQ(composed("wrong.yaml"),
            "DIR/wrong.yaml:1:8: model: no file 'model/smal.yaml' on the search path (see assay "
            "config --searchpath); did you mean 'small'? (a type is written model: {type: smal})\n"
            "  model: smal\n"
            "         ^");
}

// What reads it says what it may be.
TEST_F(Composition, LeavesATextWhereThereAreNoGroups) {
  write("model/small.yaml", "{width: 8}");
  write("e.yaml", "train: short\nname: small\nmodel: ${train}\n");
  EXPECT_EQ(composed("e.yaml"), "{train: short, name: small, model: ${train}}");
}

TEST(SearchPath, FindsTheFirstAndNamesAll) {
  TemporaryFolder one, two;
  std::filesystem::create_directories(one / "model");
  std::filesystem::create_directories(two / "model");
  for (const auto& file : {one / "model/a.yaml", two / "model/a.yaml", two / "model/b.yaml"})
    std::ofstream(file) << "x: 1";
  const SearchPath path{{{one.path(), ""}, {two.path(), ""}}};
  EXPECT_EQ(path.find("model/a.yaml"), one / "model/a.yaml");
  EXPECT_EQ(path.find("model/b.yaml"), two / "model/b.yaml");
  EXPECT_EQ(path.find("model"), std::nullopt);
  EXPECT_EQ(path.names("model"), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace assay
