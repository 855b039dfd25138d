#include "config/overrides.h"

#include <gtest/gtest.h>

#include "config/yaml.h"
#include "support/trees.h"

namespace assay {
namespace {

// path = choice | choice ..., or the problems.
std::string read_one(std::string_view argument) {
  Problems problems;
  const Override result = read_override(argument, problems);
  if (!problems.empty()) return (result.choices.empty() ? "" : "choices left: ") + problems.text();
  std::string text = result.path + " =";
  for (const Value& choice : result.choices)
    text += (&choice == &result.choices[0] ? " " : " | ") + tree(choice);
  return text;
}

TEST(Override, SetsOneValue) {
  EXPECT_EQ(read_one("model.width=64"), "model.width = 64");
  EXPECT_EQ(read_one("train.steps= 1e3 "), "train.steps = 1e3");
  EXPECT_EQ(read_one("lr=-1e-3"), "lr = -1e-3");
}

// D55.
TEST(Override, SplitsAtTheFirstEqualsSign) {
  EXPECT_EQ(read_one("data.path=a=b.txt"), "data.path = a=b.txt");
}
TEST(Override, KeepsAListInBracketsWhole) {
  EXPECT_EQ(read_one("tags=[x, y]"), "tags = [x, y]");
}
TEST(Override, NothingIsAnEmptyText) {
  EXPECT_EQ(read_one("note="), "note = \"\"");
}
TEST(Override, QuotesMakeText) {
  EXPECT_EQ(read_one("name=\"1e3\""), "name = \"1e3\"");
}

TEST(Override, CommasOutsideQuotesAndBracketsMakeSeveral) {
  EXPECT_EQ(read_one("seed=1,2,3"), "seed = 1 | 2 | 3");
  EXPECT_EQ(read_one("seed=1, 2"), "seed = 1 | 2");
  EXPECT_EQ(read_one("name=\"a,b\",'c,d'"), "name = \"a,b\" | \"c,d\"");
  EXPECT_EQ(read_one("model={type: gpt, width: 8},{type: lstm}"),
            "model = {type: gpt, width: 8} | {type: lstm}");
  EXPECT_EQ(read_one("widths=[1, 2],[3]"), "widths = [1, 2] | [3]");
}

TEST(Override, ReadsNull) {
  EXPECT_EQ(read_one("model.dropout=null"), "model.dropout = ~");
  EXPECT_EQ(read_one("model.dropout=~,0.1"), "model.dropout = ~ | 0.1");
}

TEST(Override, PlacesAreThoseOfTheArgument) {
  Problems problems;
  const Override result = read_override("\xC3\xA9.w=[1, 22],3", problems);
  ASSERT_EQ(result.choices.size(), 2u);
  EXPECT_EQ(result.choices[0].items()[1].at().text(), "argument '\xC3\xA9.w=[1, 22],3':9");
  EXPECT_EQ(result.choices[1].at().text(), "argument '\xC3\xA9.w=[1, 22],3':13");
  EXPECT_EQ(read_override("k=", problems).choices[0].at().text(), "argument 'k=':3");
}

TEST(Override, RefusesAMalformedPath) {
  EXPECT_EQ(read_one("model"),
            "argument 'model':1: wanted an option and its value, such as model.width=64\n"
            "  model\n"
            "  ^");
  EXPECT_EQ(read_one("=8"),
            "argument '=8':1: the option's path is missing\n"
            "  =8\n"
            "  ^");
  EXPECT_EQ(read_one("model..width=8"),
            "argument 'model..width=8':7: a name is missing before this '.'\n"
            "  model..width=8\n"
            "        ^");
  EXPECT_EQ(read_one(".width=8"),
            "argument '.width=8':1: a name is missing before this '.'\n"
            "  .width=8\n"
            "  ^");
  EXPECT_EQ(read_one("model.=8"),
            "argument 'model.=8':6: a name is missing after this '.'\n"
            "  model.=8\n"
            "       ^");
  EXPECT_EQ(read_one("model.width =8"),
            "argument 'model.width =8':12: an option's path has no spaces and quotes; write "
            "model.width=64\n"
            "  model.width =8\n"
            "             ^");
}

TEST(Override, RefusesBracketsAndQuotesThatDoNotPairUp) {
  const std::string message =
      ": brackets do not pair up, a quote is not closed, or '#' starts a comment; put text with "
      "such signs in quotes";
  EXPECT_EQ(messages(read_one("k=[1,2")), "argument 'k=[1,2':3" + message);
  EXPECT_EQ(messages(read_one("k=a]")), "argument 'k=a]':3" + message);
  EXPECT_EQ(messages(read_one("k={a: 1")), "argument 'k={a: 1':3" + message);
  EXPECT_EQ(messages(read_one("note=see #5")), "argument 'note=see #5':6" + message);
  EXPECT_EQ(messages(read_one("note=#5")), "argument 'note=#5':6" + message);
  EXPECT_EQ(messages(read_one("k=\"abc")), "argument 'k=\"abc':3" + message);
}

TEST(Override, RefusesWhatYamlWouldTakeForSomethingElse) {
  EXPECT_EQ(read_one("seed=1,,2"),
            "argument 'seed=1,,2':8: nothing stands between the commas; write a value, or null\n"
            "  seed=1,,2\n"
            "         ^");
  EXPECT_EQ(read_one("seed=1,2,"),
            "argument 'seed=1,2,':9: nothing stands after this comma; remove it\n"
            "  seed=1,2,\n"
            "          ^");
  EXPECT_EQ(read_one("k=!x"),
            "argument 'k=!x':3: tags are refused; remove '!', or put the text in quotes\n"
            "  k=!x\n"
            "    ^");
  EXPECT_EQ(read_one("glob=*.txt"),
            "argument 'glob=*.txt':6: no anchor ('&name') of this alias ('*name') stands above; "
            "put the text in quotes if none is meant\n"
            "  glob=*.txt\n"
            "       ^");
  EXPECT_EQ(read_one("k=@x"),
            "argument 'k=@x':3: text cannot start with this sign; put it in quotes\n"
            "  k=@x\n"
            "    ^");
  EXPECT_EQ(read_one("k=a\nb"),
            "argument 'k=a\\nb':4: a line end; write \\n, in double quotes\n"
            "  k=a\n"
            "     ^");
  EXPECT_EQ(messages(read_one("k=\xFF")), "argument 'k=\\xff':3: byte 2 is not UTF-8");
}

TEST(Override, MarksStandBeforeThePathOnly) {
  EXPECT_EQ(read_one("+++a=1"),
            "argument '+++a=1':3: only '+', '++' or '~' may stand before an option's path\n"
            "  +++a=1\n"
            "    ^");
  EXPECT_EQ(read_one("+~a=1"),
            "argument '+~a=1':2: only '+', '++' or '~' may stand before an option's path\n"
            "  +~a=1\n"
            "   ^");
  EXPECT_EQ(read_one("++model..width=8"),
            "argument '++model..width=8':9: a name is missing before this '.'\n"
            "  ++model..width=8\n"
            "          ^");
  EXPECT_EQ(read_one("~"),
            "argument '~':2: the option's path is missing\n"
            "  ~\n"
            "   ^");
  EXPECT_EQ(read_one("+=1"),
            "argument '+=1':2: the option's path is missing\n"
            "  +=1\n"
            "   ^");
  EXPECT_EQ(read_one("~model=1"),
            "argument '~model=1':7: '~' deletes and takes no value; remove what follows the path\n"
            "  ~model=1\n"
            "        ^");
  EXPECT_EQ(read_one("+model"),
            "argument '+model':1: wanted an option and its value, such as model.width=64\n"
            "  +model\n"
            "  ^");
}

TEST(Override, JsonIsStrictAndPointsAtTheSign) {
  const std::string message =
      ": this is not JSON: text stands in double quotes, as in [1, \"a\", true, {\"width\": 64}]";
  EXPECT_EQ(messages(read_one("k:={\"a\": x}")), "argument 'k:={\"a\": x}':10" + message);
  EXPECT_EQ(messages(read_one("k:=010")), "argument 'k:=010':5" + message);
  EXPECT_EQ(messages(read_one("k:=1,2")), "argument 'k:=1,2':5" + message);
  EXPECT_EQ(messages(read_one("k:='a'")), "argument 'k:='a'':4" + message);
  EXPECT_EQ(read_one("k:=[1, 2"),
            "argument 'k:=[1, 2':9: the JSON ends too early: a bracket or quote is not closed\n"
            "  k:=[1, 2\n"
            "          ^");
  EXPECT_EQ(read_one("k:="),
            "argument 'k:=':4: the JSON ends too early: a bracket or quote is not closed\n"
            "  k:=\n"
            "     ^");
  EXPECT_EQ(read_one("k:=[1, 1e999]"),
            "argument 'k:=[1, 1e999]':8: a number outside the range of double precision\n"
            "  k:=[1, 1e999]\n"
            "         ^");
  EXPECT_EQ(read_one("k:={\"a\": 1, \"a\": 2}"),
            "argument 'k:={\"a\": 1, \"a\": 2}':13: 'a' stands here a second time; keep one\n"
            "  k:={\"a\": 1, \"a\": 2}\n"
            "              ^");
  EXPECT_TRUE(messages(read_one("k:=" + std::string(1000, '[')))
                  .ends_with(":68: lists and maps more than 64 deep"));
}

TEST(Override, JsonHasThePlacesOfItsValues) {
  Problems problems;
  const Override change =
      read_override("k:={\"\u00e9\": [12, \"\xC3\xA9\", -1.5e3], \"b\" : {\"c\": null}}", problems);
  ASSERT_EQ(change.choices.size(), 1u) << problems.text();
  const Value& root = change.choices[0];
  const auto column = [&](const char* path) { return root.at_path(path)->at().column; };
  EXPECT_EQ(root.at().column, 4);
  EXPECT_EQ(root.key_location(0).column, 5);
  EXPECT_EQ(column("\xC3\xA9.0"), 11);
  EXPECT_EQ(column("\xC3\xA9.1"), 15);
  EXPECT_EQ(column("\xC3\xA9.2"), 20);
  EXPECT_EQ(root.key_location(1).column, 29);
  EXPECT_EQ(column("b"), 35);
  EXPECT_EQ(column("b.c"), 41);
}

TEST(Override, DeepPathsAndValuesAreRefused) {
  std::string path = "a";
  for (int i = 1; i < 64; ++i) path += ".a";
  EXPECT_EQ(read_one(path + "=1"), path + " = 1");
  EXPECT_TRUE(messages(read_one(path + "=[1]")).ends_with(":1: lists and maps more than 64 deep"));
  EXPECT_NE(read_one("k=" + std::string(100'000, '[')).find("more than 64 deep"),
            std::string::npos);
}

// The tree after an override, or the problems.
std::string apply(std::string_view base, std::string_view argument) {
  Problems problems;
  const Override change = read_override(argument, problems);
  problems.raise();
  const Value result =
      apply_override(read_yaml(base, "f.yaml"), change, change.choices.at(0), problems);
  return problems.empty() ? tree(result) : problems.text();
}

TEST(ApplyOverride, SetsAnOptionAndMakesMissingMaps) {
  EXPECT_EQ(apply("model: {width: 64, heads: 4}", "model.width=8"),
            "{model: {width: 8, heads: 4}}");
  EXPECT_EQ(apply("seed: 1", "a.b.c=x"), "{seed: 1, a: {b: {c: x}}}");
  EXPECT_EQ(apply("", "a.b=x"), "{a: {b: x}}");
  EXPECT_EQ(apply("model:", "model.width=8"), "{model: {width: 8}}");
}

TEST(ApplyOverride, NamesListItemsByIndex) {
  EXPECT_EQ(apply("l: [{w: 1}, {w: 2}]", "l.1.w=3"), "{l: [{w: 1}, {w: 3}]}");
  EXPECT_EQ(apply("l: [1, 2]", "l.0=null"), "{l: [2]}");
  EXPECT_EQ(
      apply("a: {l: [1, 2]}", "a.l.2=3"),
      "argument 'a.l.2=3':5: a.l.2: a.l is a list of 2; name an item by its index, counted from 0\n"
      "  a.l.2=3\n"
      "      ^");
}

TEST(ApplyOverride, AnotherTypeReplacesTheSection) {
  EXPECT_EQ(apply("model: {type: gpt, width: 64}", "model.type=lstm"), "{model: {type: lstm}}");
  EXPECT_EQ(apply("model: {type: gpt, width: 64}", "model.type=gpt"),
            "{model: {type: gpt, width: 64}}");
  EXPECT_EQ(apply("model: {type: gpt, width: 64}", "model={type: lstm, layers: 1}"),
            "{model: {type: lstm, layers: 1}}");
}

TEST(ApplyOverride, MergesMapsAndReplacesLists) {
  EXPECT_EQ(apply("model: {width: 64, heads: 4}", "model={width: 8}"),
            "{model: {width: 8, heads: 4}}");
  EXPECT_EQ(apply("tags: [a, b]", "tags=[c]"), "{tags: [c]}");
}

TEST(ApplyOverride, NullRemoves) {
  EXPECT_EQ(apply("{a: 1, b: 2}", "a=null"), "{b: 2}");
  EXPECT_EQ(apply("{a: 1, b: 2}", "c.d=null"), "{a: 1, b: 2}");
}

TEST(ApplyOverride, PlusAddsWhatIsNotThere) {
  EXPECT_EQ(apply("model: {width: 64}", "+model.heads=4"), "{model: {width: 64, heads: 4}}");
  EXPECT_EQ(apply("model: {width: ~}", "+model.width=4"), "{model: {width: 4}}");
  EXPECT_EQ(apply("l: [a, b]", "+l.2=c"), "{l: [a, b, c]}");
  EXPECT_EQ(apply("model: {width: 64}", "+model.width=4"),
            "argument '+model.width=4':8: model.width: is there already, as 64 at f.yaml:1:16; "
            "write model.width=... to change it\n"
            "  +model.width=4\n"
            "         ^");
  EXPECT_EQ(apply("l: [a, b]", "+l.1=c"),
            "argument '+l.1=c':4: l.1: is there already, as text \"b\" at f.yaml:1:8; write "
            "l.1=... to change it\n"
            "  +l.1=c\n"
            "     ^");
  EXPECT_EQ(apply("l: [a, b]", "+l.3=c"),
            "argument '+l.3=c':4: l.3: l is a list of 2; name an item by its index, counted from "
            "0, or 2 to add one\n"
            "  +l.3=c\n"
            "     ^");
}

TEST(ApplyOverride, TwoPlusReplaceWhatIsThere) {
  EXPECT_EQ(apply("model: {width: 64, heads: 4}", "++model={width: 8}"), "{model: {width: 8}}");
  EXPECT_EQ(apply("model: gpt", "++model.type=gpt"), "{model: {type: gpt}}");
  EXPECT_EQ(apply("{a: 1, b: 2}", "++a=null"), "{b: 2}");
  EXPECT_EQ(apply("a: 1", "++b.c=2"), "{a: 1, b: {c: 2}}");
}

TEST(ApplyOverride, ATildeDeletes) {
  EXPECT_EQ(apply("model: {width: 64, heads: 4}", "~model.width"), "{model: {heads: 4}}");
  EXPECT_EQ(apply("l: [a, b]", "~l.0"), "{l: [b]}");
  EXPECT_EQ(apply("model: {width: 64, heads: 4}", "~model.widht"),
            "argument '~model.widht':8: model.widht: nothing to delete: model has no 'widht'; did "
            "you mean 'width'?\n"
            "  ~model.widht\n"
            "         ^");
  EXPECT_EQ(apply("model: {width: 64}", "~optimizer.lr"),
            "argument '~optimizer.lr':2: optimizer.lr: nothing to delete: the configuration has no "
            "'optimizer'; it has model\n"
            "  ~optimizer.lr\n"
            "   ^");
  EXPECT_EQ(apply("l: [a, b]", "~l.2"),
            "argument '~l.2':4: l.2: l is a list of 2; name an item by its index, counted from 0\n"
            "  ~l.2\n"
            "     ^");
}

TEST(ApplyOverride, TakesJson) {
  EXPECT_EQ(apply("model: {width: 64}", "model:={\"width\": 8, \"tags\": [\"a\", true, null]}"),
            "{model: {width: 8, tags: [\"a\", true, ~]}}");
  EXPECT_EQ(apply("", "lr:=1e-3"), "{lr: 1e-3}");
  EXPECT_EQ(apply("", "++a:=[1,2]"), "{a: [1, 2]}");
}

TEST(ApplyOverride, RefusesAPathThroughAScalar) {
  EXPECT_EQ(apply("model: gpt", "model.width=8"),
            "argument 'model.width=8':7: model.width: model is text \"gpt\", which has no options "
            "of its own\n"
            "  model.width=8\n"
            "        ^");
}

TEST(ApplyOverride, NewKeysStandWhereTheArgumentNamesThem) {
  Problems problems;
  const Override change = read_override("model.widht=8", problems);
  const Value root = apply_override(read_yaml("model: {type: gpt}", "f.yaml"), change,
                                    change.choices.at(0), problems);
  EXPECT_EQ(root.find("model")->key_location(1).text(), "argument 'model.widht=8':7");
  EXPECT_EQ(root.at_path("model.widht")->at().text(), "argument 'model.widht=8':13");
}

}  // namespace
}  // namespace assay
