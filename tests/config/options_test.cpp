#include "config/options.h"

#include <gtest/gtest.h>

#include "config/overrides.h"
#include "config/yaml.h"
#include "support/trees.h"

namespace assay {
namespace {

struct Options {
  std::int64_t heads = 4, width = 64;
  double dropout = 0.1;
  bool tied = false;
  std::string norm = "pre", note = "none";
  std::optional<std::int64_t> window;
  std::optional<double> clip = 1.5;
  std::vector<double> betas = {0.9, 0.999};
  std::vector<std::string> tags;
  Value extra;

  static void describe(OptionList<Options>& o) {
    o.add("heads", &Options::heads, "Attention heads.").at_least(1);
    o.add("width", &Options::width, "Width.").at_least(1).at_most(4096);
    o.add("dropout", &Options::dropout, "Probability of dropping a unit.").at_least(0).below(1);
    o.add("tied", &Options::tied, "Whether output and embedding are one.");
    o.add("norm", &Options::norm, "Where the layer norm stands.").one_of({"pre", "post"});
    o.add("note", &Options::note, "Free text.");
    o.add("window", &Options::window, "Attention window.").at_least(1);
    o.add("clip", &Options::clip, "Norm of the gradient.").above(0);
    o.add("betas", &Options::betas, "Decay rates.").at_least(0).below(1);
    o.add("tags", &Options::tags, "Labels.");
    o.add("extra", &Options::extra, "Anything.");
    o.rule([](const Options& g) {
      return g.width % g.heads ? "width must be a multiple of heads" : "";
    });
  }
};

struct Inherited {
  std::int64_t units = 8;
  template <class Owner>
  static void describe(OptionList<Owner>& o) {
    o.add("units", &Owner::units, "Units.").at_least(1);
  }
};
struct Heir : Inherited {
  double slope = 0.5;
  static void describe(OptionList<Heir>& o) {
    Inherited::describe(o);
    o.add("slope", &Heir::slope, "Slope.");
  }
};

TEST(Options, OfAStructThatInheritsSomeAreReadAndWrittenAlike) {
  const OptionTable table = describe_options<Heir>();
  ASSERT_EQ(table.entries.size(), 2U);
  EXPECT_EQ(table.entries[0].info.name, "units");
  EXPECT_EQ(table.entries[0].info.default_text, "8");
  Heir heir;
  Problems problems;
  table.read(&heir, read_yaml("{units: 3, slope: 2}", "f.yaml"), "model", "model 'm'", problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(heir.units, 3);
  EXPECT_EQ(heir.slope, 2);
  EXPECT_EQ(table.write(&heir).find("units")->text(), "3");
  EXPECT_EQ(describe_options<Inherited>().entries.size(), 1U);
}

struct Reading {
  Options options;
  std::string problems;
};

Reading read(std::string_view yaml) {
  Reading reading;
  Problems problems;
  describe_options<Options>().read(&reading.options, read_yaml(yaml, "f.yaml"), "model",
                                   "model 'gpt'", problems);
  reading.problems = problems.text();
  return reading;
}

std::string problems_of(std::string_view yaml) {
  return read(yaml).problems;
}

Options good(std::string_view yaml) {
  const Reading reading = read(yaml);
  EXPECT_EQ(reading.problems, "");
  return reading.options;
}

TEST(Options, KeepTheirDefaultsWhereNothingIsWritten) {
  for (const char* yaml : {"", "{}", "type: gpt", "{width: ~, norm: null}"}) {
    const Options o = good(yaml);
    EXPECT_EQ(o.width, 64) << yaml;
    EXPECT_EQ(o.norm, "pre");
    EXPECT_EQ(o.window, std::nullopt);
    EXPECT_EQ(o.clip, 1.5);
  }
}

TEST(Options, AreReadByType) {
  const Options o = good(
      "{heads: 2, dropout: 5e-1, tied: true, norm: post, window: 8, clip: ~, betas: [0, 0.5], "
      "tags: [a, 1.10], extra: {x: [1]}}");
  EXPECT_EQ(o.heads, 2);
  EXPECT_EQ(o.dropout, 0.5);
  EXPECT_TRUE(o.tied);
  EXPECT_EQ(o.norm, "post");
  EXPECT_EQ(o.window, 8);
  EXPECT_EQ(o.clip, std::nullopt);
  EXPECT_EQ(o.betas, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(o.tags, (std::vector<std::string>{"a", "1.10"}));
  EXPECT_EQ(tree(o.extra), "{x: [1]}");
}

// D11.
TEST(Options, IntegersAreDecimalWithAnyLeadingZeros) {
  EXPECT_EQ(good("heads: 010\nwidth: 20").heads, 10);
  EXPECT_EQ(good("heads: 08").heads, 8);
  EXPECT_EQ(good("width: 1e3").width, 1000);
  EXPECT_EQ(good("width: 128.0").width, 128);
  EXPECT_EQ(good("width: 0.64e2").width, 64);
  EXPECT_EQ(good("width: +64").width, 64);
  EXPECT_EQ(good("window: 9007199254740993.0").window, 9007199254740993);
  EXPECT_EQ(good("window: 9223372036854775807").window, INT64_MAX);
}

TEST(Options, RealsAreReadAsIntegersAre) {
  EXPECT_EQ(good("clip: 010").clip, 10);
  EXPECT_EQ(good("clip: 1e-3").clip, 1e-3);
  EXPECT_EQ(good("clip: 2e-05").clip, 2e-05);
  EXPECT_EQ(good("clip: .5").clip, 0.5);
  EXPECT_EQ(good("clip: +5.").clip, 5);
}

TEST(Options, RefuseWhatIsNoInteger) {
  const auto heads = [](std::string text) { return problems_of("heads: " + text); };
  const std::string wanted = "f.yaml:1:8: model.heads: wanted an integer, at least 1; got ";
  EXPECT_EQ(messages(heads("-1")), wanted + "-1");
  EXPECT_EQ(messages(heads("0")), wanted + "0");
  EXPECT_EQ(messages(heads("0x10")), wanted + "0x10");
  EXPECT_EQ(messages(heads("1_000")), wanted + "1_000");
  EXPECT_EQ(messages(heads("2.5")), wanted + "2.5");
  EXPECT_EQ(messages(heads("1e-1")), wanted + "1e-1");
  EXPECT_EQ(messages(heads("fast")), wanted + "text \"fast\"");
  EXPECT_EQ(messages(heads("true")), wanted + "true");
  EXPECT_EQ(messages(heads("[1]")), wanted + "a list of 1");
  EXPECT_EQ(messages(heads("{}")), wanted + "a map");
  EXPECT_EQ(messages(heads("1e30")), wanted + "1e30, which does not fit 64 bits");
  EXPECT_EQ(messages(heads("9223372036854775808")),
            wanted + "9223372036854775808, which does not fit 64 bits");
  EXPECT_EQ(messages(heads("1e99999999999999999999")),
            wanted + "1e99999999999999999999, which does not fit 64 bits");
  EXPECT_EQ(messages(heads("\"64\"")), wanted + "text \"64\", which is quoted: remove the quotes");
  for (const char* text : {"--1", "+-1", "1e", "e5", ".", "1 2", "64,"})
    EXPECT_NE(heads(text), "") << text;
}

TEST(Options, RefuseWhatIsNoNumber) {
  const auto dropout = [](std::string text) { return problems_of("dropout: " + text); };
  const std::string wanted =
      "f.yaml:1:10: model.dropout: wanted a number, at least 0 and below 1; got ";
  EXPECT_EQ(messages(dropout("1.5")), wanted + "1.5");
  EXPECT_EQ(messages(dropout("1")), wanted + "1");
  EXPECT_EQ(messages(dropout("-0.1")), wanted + "-0.1");
  EXPECT_EQ(messages(dropout("0x10")), wanted + "0x10");
  EXPECT_EQ(messages(dropout("1e400")),
            wanted + "1e400, which is outside the range of double precision");
  EXPECT_EQ(messages(dropout("1e-400")),
            wanted + "1e-400, which is outside the range of double precision");
  EXPECT_EQ(messages(dropout("\"0.1\"")),
            wanted + "text \"0.1\", which is quoted: remove the quotes");
  for (const char* text : {"nan", "inf", "-inf", ".nan", ".inf", "1e", "0.1.2", "0,1"})
    EXPECT_NE(dropout(text), "") << text;
}

TEST(Options, TheExclusiveBoundIsExclusive) {
  EXPECT_EQ(problems_of("clip: 0"),
            "f.yaml:1:7: model.clip: wanted a number, above 0; got 0\n"
            "  clip: 0\n"
            "        ^");
  EXPECT_EQ(good("clip: 1e-300").clip, 1e-300);
  EXPECT_EQ(good("dropout: 0").dropout, 0);
  EXPECT_EQ(problems_of("width: 4100"),
            "f.yaml:1:8: model.width: wanted an integer, at least 1 and at most 4096; got 4100\n"
            "  width: 4100\n"
            "         ^");
}

TEST(Options, OnlyTrueAndFalseAreTruthValues) {
  for (const char* text : {"yes", "no", "True", "on", "1", "0"})
    EXPECT_TRUE(problems_of(std::string("tied: ") + text)
                    .starts_with("f.yaml:1:7: model.tied: wanted true or false; got "))
        << text;
  EXPECT_EQ(problems_of("tied: 'true'"),
            "f.yaml:1:7: model.tied: wanted true or false; got text \"true\", which is quoted: "
            "remove the quotes\n"
            "  tied: 'true'\n"
            "        ^");
}

// D55.
TEST(Options, TextKeepsWordsAndNumbersAsWritten) {
  for (const char* text : {"no", "1.10", "1e3", "true", "010", "2001-01-01"})
    EXPECT_EQ(good(std::string("note: ") + text).note, text);
  EXPECT_EQ(good("note: \"\"").note, "");
  EXPECT_EQ(good("note: \"null\"").note, "null");
  EXPECT_EQ(problems_of("note: [a]"),
            "f.yaml:1:7: model.note: wanted text; got a list of 1\n"
            "  note: [a]\n"
            "        ^");
}

TEST(Options, ChoicesNameANearOne) {
  EXPECT_EQ(
      problems_of("norm: pots"),
      "f.yaml:1:7: model.norm: wanted 'pre' or 'post'; got text \"pots\"; did you mean 'post'?\n"
      "  norm: pots\n"
      "        ^");
  EXPECT_EQ(problems_of("norm: rms"),
            "f.yaml:1:7: model.norm: wanted 'pre' or 'post'; got text \"rms\"\n"
            "  norm: rms\n"
            "        ^");
}

TEST(Options, ListsNameTheItem) {
  EXPECT_EQ(problems_of("betas: [0.9, 1.5, x]"),
            "f.yaml:1:14: model.betas.1: wanted a number, at least 0 and below 1; got 1.5\n"
            "  betas: [0.9, 1.5, x]\n"
            "               ^\n"
            "f.yaml:1:19: model.betas.2: wanted a number, at least 0 and below 1; got text \"x\"\n"
            "  betas: [0.9, 1.5, x]\n"
            "                    ^");
  EXPECT_EQ(problems_of("betas: 0.9"),
            "f.yaml:1:8: model.betas: wanted a list, each item a number, at least 0 and below 1; "
            "got 0.9\n"
            "  betas: 0.9\n"
            "         ^");
}

// D08.
TEST(Options, UnknownKeysNameANearOne) {
  EXPECT_EQ(problems_of("type: gpt\nhead: 2\n"),
            "f.yaml:2:1: model.head: unknown option of model 'gpt'; did you mean 'heads'?\n"
            "  head: 2\n"
            "  ^");
  EXPECT_EQ(problems_of("widht: 2"),
            "f.yaml:1:1: model.widht: unknown option of model 'gpt'; did you mean 'width'?\n"
            "  widht: 2\n"
            "  ^");
}

TEST(Options, UnknownKeysWithNoneNearListAll) {
  EXPECT_EQ(problems_of("lr: 1e-3"),
            "f.yaml:1:1: model.lr: unknown option of model 'gpt'; it has heads, width, dropout, "
            "tied, norm, note, window, clip, betas, tags and extra\n"
            "  lr: 1e-3\n"
            "  ^");
}

struct NoOptions {
  static void describe(OptionList<NoOptions>&) {}
};

TEST(Options, UnknownKeysWhereThereAreNoOptions) {
  NoOptions options;
  Problems problems;
  describe_options<NoOptions>().read(&options, read_yaml("{type: char, width: 1}", "f.yaml"),
                                     "tokenizer", "tokenizer 'char'", problems);
  EXPECT_EQ(problems.text(),
            "f.yaml:1:14: tokenizer.width: unknown option of tokenizer 'char'; it has none\n"
            "  {type: char, width: 1}\n"
            "               ^");
}

TEST(Options, AllProblemsAreReportedInTheirOrder) {
  EXPECT_EQ(problems_of("heads: 0\nwidht: 8\ndropout: 2\ntied: yes\n"),
            "f.yaml:1:8: model.heads: wanted an integer, at least 1; got 0\n"
            "  heads: 0\n"
            "         ^\n"
            "f.yaml:2:1: model.widht: unknown option of model 'gpt'; did you mean 'width'?\n"
            "  widht: 8\n"
            "  ^\n"
            "f.yaml:3:10: model.dropout: wanted a number, at least 0 and below 1; got 2\n"
            "  dropout: 2\n"
            "           ^\n"
            "f.yaml:4:7: model.tied: wanted true or false; got yes\n"
            "  tied: yes\n"
            "        ^");
}

TEST(Options, RulesRunOnceBoundsHold) {
  EXPECT_EQ(problems_of("{heads: 3, width: 64}"),
            "f.yaml:1:1: model: width must be a multiple of heads\n"
            "  {heads: 3, width: 64}\n"
            "  ^");
  EXPECT_EQ(problems_of("{heads: 0, width: 64}"),
            "f.yaml:1:9: model.heads: wanted an integer, at least 1; got 0\n"
            "  {heads: 0, width: 64}\n"
            "          ^");
}

TEST(Options, ASectionMustBeAMap) {
  EXPECT_EQ(problems_of("gpt"),
            "f.yaml:1:1: model: wanted a map of options; got text \"gpt\"\n"
            "  gpt\n"
            "  ^");
}

struct Required {
  std::string source;
  static void describe(OptionList<Required>& o) {
    o.add("source", &Required::source, "File or name of a corpus.").required();
  }
};

TEST(Options, RequiredOnesAreMissed) {
  for (const char* yaml : {"type: text", "{type: text, source: }"}) {
    Required options;
    Problems problems;
    describe_options<Required>().read(&options, read_yaml(yaml, "f.yaml"), "dataset",
                                      "dataset 'text'", problems);
    EXPECT_TRUE(
        messages(problems.text())
            .ends_with(": dataset.source: is missing; wanted text: File or name of a corpus."))
        << problems.text();
  }
  EXPECT_EQ(describe_options<Required>().entries[0].info.default_text, "");
}

TEST(Options, AtTheTopLevelHaveNoPrefix) {
  Required options;
  Problems problems;
  describe_options<Required>().read(&options, read_yaml("sourc: x", "f.yaml"), "", "the experiment",
                                    problems);
  EXPECT_EQ(problems.list().at(1).message,
            "source: is missing; wanted text: File or name of a corpus.");
  EXPECT_EQ(problems.list().at(0).message,
            "sourc: unknown option of the experiment; did you mean 'source'?");
}

TEST(Options, FromTheCommandLineAreCheckedAsInAFile) {
  Problems problems;
  const Override change = read_override("model.heads=fast", problems);
  const Value root = apply_override(read_yaml("model: {type: gpt}", "f.yaml"), change,
                                    change.choices.at(0), problems);
  Options options;
  describe_options<Options>().read(&options, *root.find("model"), "model", "model 'gpt'", problems);
  EXPECT_EQ(problems.text(),
            "argument 'model.heads=fast':13: model.heads: wanted an integer, at least 1; got text "
            "\"fast\"\n"
            "  model.heads=fast\n"
            "              ^");
}

TEST(Options, DescribeThemselves) {
  const OptionTable table = describe_options<Options>();
  const OptionInfo& dropout = table.entries[2].info;
  EXPECT_EQ(dropout.name, "dropout");
  EXPECT_EQ(dropout.help, "Probability of dropping a unit.");
  EXPECT_EQ(dropout.type, OptionInfo::Type::real);
  EXPECT_EQ(dropout.minimum, 0);
  EXPECT_EQ(dropout.maximum, 1);
  EXPECT_FALSE(dropout.exclusive_minimum);
  EXPECT_TRUE(dropout.exclusive_maximum);
  EXPECT_EQ(dropout.default_text, "0.1");
  EXPECT_EQ(table.entries[6].info.default_text, "");
  EXPECT_TRUE(table.entries[6].info.optional);
  EXPECT_EQ(table.entries[8].info.default_text, "[0.9, 0.999]");
  EXPECT_TRUE(table.entries[8].info.list);
}

TEST(Options, AreWrittenWithTheirDefaultsAndReadBack) {
  Options o;
  o.dropout = 0.1 + 0.2;
  o.clip = 1e-8;
  o.note = "no";
  o.tags = {"a", "1.10", "", "x: y"};
  const OptionTable table = describe_options<Options>();
  const std::string written = write_yaml(table.write(&o));
  EXPECT_EQ(written,
            "heads: 4\nwidth: 64\ndropout: 0.30000000000000004\ntied: false\nnorm: pre\nnote: "
            "\"no\"\nclip: 1e-08\n"
            "betas:\n  - 0.9\n  - 0.999\ntags:\n  - a\n  - \"1.10\"\n  - \"\"\n  - \"x: y\"\n");
  const Options back = good(written);
  EXPECT_EQ(back.dropout, o.dropout);
  EXPECT_EQ(back.clip, o.clip);
  EXPECT_EQ(back.note, o.note);
  EXPECT_EQ(back.tags, o.tags);
}

}  // namespace
}  // namespace assay
