#include "cli/arguments.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/error.h"
#include "base/random.h"
#include "cli/program.h"
#include "cli/request.h"
#include "support/thrown.h"

namespace assay {
namespace {

std::vector<OptionSpec> specs() {
  return {{"output", 'o', "FILE", ""},
          {"threads", 0, "N", ""},
          {"force", 0, "", ""},
          {"plugins", 0, "DIR", "", true}};
}

TEST(Arguments, TellsWordsFromOptionsInAnyOrder) {
  const Arguments got = read_arguments(
      "run", specs(), {"gpt.yaml", "--threads", "2", "seed=1,2", "-o", "a.h5", "--force", "note="});
  EXPECT_EQ(got.words, (std::vector<std::string>{"gpt.yaml", "seed=1,2", "note="}));
  EXPECT_EQ(got.count("threads", 0), 2);
  EXPECT_EQ(got.value("output"), "a.h5");
  EXPECT_TRUE(got.has("force"));
}

TEST(Arguments, TakesAValueAfterAnEqualsSignToo) {
  EXPECT_EQ(read_arguments("run", specs(), {"--output=a=b.h5"}).value("output"), "a=b.h5");
}

TEST(Arguments, KeepsAnOverrideThatStartsLikeAPathOrHoldsBrackets) {
  const Arguments got =
      read_arguments("run", specs(), {"f.yaml", "tags=[x, y]", "data.path=a=b.txt"});
  EXPECT_EQ(got.words, (std::vector<std::string>{"f.yaml", "tags=[x, y]", "data.path=a=b.txt"}));
}

TEST(Arguments, CollectsAnOptionThatMayRepeat) {
  EXPECT_EQ(read_arguments("run", specs(), {"--plugins", "a", "--plugins", "b"}).values("plugins"),
            (std::vector<std::string>{"a", "b"}));
}

TEST(Arguments, RefusesAnOptionGivenTwice) {
  EXPECT_EQ(thrown([] {
              read_arguments("run", specs(), {"--threads", "1", "--threads", "2"});
            }),
            "[2] run: --threads is given 2 times");
}

TEST(Arguments, NamesTheOptionThatWasMeant) {
  EXPECT_EQ(thrown([] {
              read_arguments("run", specs(), {"--thread", "1"});
            }),
            "[2] run: unknown option '--thread'; did you mean --threads?\nSee: assay help run");
  EXPECT_EQ(thrown([] { read_arguments("run", specs(), {"--thraeds=1"}); }),
            "[2] run: unknown option '--thraeds'; did you mean --threads?\nSee: assay help run");
}

TEST(Arguments, RefusesAnOptionWithoutItsValue) {
  EXPECT_EQ(thrown([] {
              read_arguments("run", specs(), {"gpt.yaml", "--threads"});
            }),
            "[2] run: --threads: its value N is missing\nSee: assay help run");
}

TEST(Arguments, RefusesAChoiceThatIsNone) {
  const std::vector<OptionSpec> resume = {
      {"resume", 0, "HOW", "", false, {"auto", "never", "must"}}};
  EXPECT_EQ(read_arguments("run", resume, {"--resume", "must"}).value("resume"), "must");
  EXPECT_EQ(thrown([&] { read_arguments("run", resume, {"--resume=nevr"}); }),
            "[2] run: --resume: wanted auto, never or must, got 'nevr'; did you mean never?");
}

TEST(Arguments, RefusesAValueForASwitch) {
  EXPECT_EQ(thrown([] { read_arguments("run", specs(), {"--force=yes"}); }),
            "[2] run: --force: takes no value\nSee: assay help run");
}

TEST(Arguments, RefusesACountThatIsNone) {
  for (const char* text : {"0", "-1", "two", "2.5", "99999999999"}) {
    EXPECT_EQ(
        thrown([&] {
          read_arguments("run", specs(), {std::string("--threads=") + text}).count("threads", 0);
        }),
        std::string("[2] --threads: wanted a whole number of at least 1, got '") + text + "'");
  }
}

TEST(Request, RefusesAWordThatSetsNothing) {
  Arguments arguments;
  arguments.words = {"a.yaml", "b.yaml"};
  EXPECT_EQ(thrown([&] { read_request("run", arguments); }),
            "[2] run: wanted KEY=VALUE after the file, got 'b.yaml'; usage: assay run FILE "
            "[KEY=VALUE ...]");
}

TEST(Request, RefusesNoFile) {
  EXPECT_EQ(thrown([] { read_request("check", Arguments()); }),
            "[2] check: no experiment file given; usage: assay check FILE [KEY=VALUE ...]");
}

TEST(Program, NamesTheVerbThatWasMeant) {
  EXPECT_EQ(thrown([] { run_program({"chekc"}); }),
            "[2] unknown verb 'chekc'; did you mean check?");
  EXPECT_EQ(thrown([] { run_program({"gpt.yaml"}); }),
            "[2] unknown verb 'gpt.yaml'; did you mean: assay run gpt.yaml?");
  EXPECT_EQ(thrown([] { run_program({"xyzzy"}); }),
            "[2] unknown verb 'xyzzy'; the verbs are run, resume, rerun, status, retry, check, "
            "config, schema, show, compare, diff, ls, fit, export, verify, recover, unpack, rm, "
            "sample, attention, merge, plugins, bench, tokenize, neighbours, completion and help");
}

// Of any command line.
TEST(Arguments, AreReadOrRefusedAsUsage) {
  const std::vector<std::string> pieces = {
      "--",     "-",   "=",        "-o", "--threads", "--threads=", "--force", "--plugins",
      "--forc", "a=b", "run.yaml", "",   " ",         "\n",         "\xff",    "--output=--",
      "-oo",    "-f",  "1e9",      "-1", "'",         "\0"};
  const Random draw(1, "command lines", 0);
  std::uint64_t at = 0;
  const auto below = [&](std::size_t n) { return draw.below(at++, n); };
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::string> line(below(6));
    for (std::string& word : line)
      for (std::uint64_t count = 1 + below(3); count > 0; --count)
        word += pieces[below(pieces.size())];
    try {
      const Arguments got = read_arguments("run", specs(), line);
      EXPECT_LE(got.words.size() + got.options.size(), line.size());
      got.count("threads", 1);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      ++refused;
    }
  }
  EXPECT_GT(refused, 5'000);
  EXPECT_LT(refused, 19'000);
}

TEST(Program, EveryVerbExplainsItselfWithinEightyColumns) {
  for (const Verb& verb : verbs()) {
    const std::string help = verb_help(verb);
    std::size_t start = 0;
    while (start < help.size()) {
      const std::size_t end = help.find('\n', start);
      EXPECT_LE(end - start, 80u) << help.substr(start, end - start);
      start = end + 1;
    }
    EXPECT_NE(help.find("Examples:\n  assay " + verb.name), std::string::npos) << verb.name;
  }
}

}  // namespace
}  // namespace assay
