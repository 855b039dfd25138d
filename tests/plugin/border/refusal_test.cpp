// Plugins that must be refused, each with the whole of what is said. None of them may disturb this
// process.
#include <fmt/format.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "border/border.h"
#include "plugin/abi.h"
#include "plugin/probe.h"

namespace assay {
namespace {

class Refusal : public Border {
 protected:
  /// The message when the sampler of this name is asked for.
  std::string refusal_of(const std::string& name) {
    install(name);
    return said_of(name);
  }
  static std::string because(const std::string& name, const std::string& reason) {
    return fmt::format("[3] a.yaml:3:9: sampler '{}' cannot be used: ROOT/samplers/{}.so {}", name,
                       name, reason);
  }
};

TEST_F(Refusal, AnotherAbiTagShowsBoth) {
  EXPECT_EQ(
      refusal_of("other_abi"),
      because("other_abi",
              fmt::format("was built for 'assay-0 gcc-9 c++201703 cxx11abi', but this program "
                          "is '{}': build it again",
                          kAbiTag.view())));
}

TEST_F(Refusal, AMissingSymbolIsNamed) {
  EXPECT_EQ(refusal_of("missing_symbol"),
            because("missing_symbol",
                    "needs assay::not_in_any_library(int), which neither it nor this program has"));
}

TEST_F(Refusal, AnExceptionWhileRegisteringIsQuoted) {
  EXPECT_EQ(refusal_of("throws"),
            because("throws", "threw while registering: the table of options is missing"));
}

TEST_F(Refusal, WhatIsThrownNeedNotBeAnException) {
  EXPECT_EQ(refusal_of("throws_int"),
            because("throws_int", "threw while registering: something that is no std::exception"));
}

TEST_F(Refusal, ACrashWhileOpening) {
  EXPECT_EQ(refusal_of("crashes"),
            because("crashes", "crashes with signal 11 (Segmentation fault) when it is opened"));
}

TEST_F(Refusal, ACrashWhenTheProgramEnds) {
  EXPECT_EQ(refusal_of("crashes_at_exit"),
            because("crashes_at_exit",
                    "crashes with signal 11 (Segmentation fault) when the program ends"));
}

TEST_F(Refusal, AnAbortSaysWhatWasPrinted) {
  const std::string said = refusal_of("aborts");
  EXPECT_TRUE(said.starts_with(because("aborts", ""))) << said;
  EXPECT_NE(said.find("when it is opened; it printed"), std::string::npos) << said;
  EXPECT_NE(said.find("no licence for this table"), std::string::npos) << said;
}

TEST_F(Refusal, AnInitialiserThatEndsTheProgramIsNoSuccess) {
  EXPECT_EQ(refusal_of("exits"),
            because("exits", "ends the program with exit code 0 when it is opened"));
}

TEST_F(Refusal, AHangIsEndedAtTheLimit) {
  EXPECT_EQ(probe_plugin(install("hangs"), std::chrono::milliseconds(500)),
            "hangs when it is opened: a test in a process of its own did not end within 500 ms");
}

TEST_F(Refusal, AFastMathBuildByItsTag) {
  EXPECT_EQ(
      refusal_of("fast_math"),
      because("fast_math", fmt::format("was built for '{} fast-math', but this program is '{}': "
                                       "build it again",
                                       kAbiTag.view(), kAbiTag.view())));
}

#if defined(__x86_64__)
TEST_F(Refusal, ALibraryThatSwitchesTheFloatingPointMode) {
  const unsigned before = _mm_getcsr();
  EXPECT_EQ(refusal_of("fast_math_link"),
            because("fast_math_link",
                    "switches the floating-point mode when it is opened, so that results would "
                    "differ: link it without -Ofast and -ffast-math"));
  EXPECT_EQ(_mm_getcsr(), before);
}
#endif

TEST_F(Refusal, RegisteringNothing) {
  EXPECT_EQ(refusal_of("registers_nothing"), because("registers_nothing", "registers nothing"));
}

TEST_F(Refusal, RegisteringTwo) {
  EXPECT_EQ(refusal_of("registers_two"),
            because("registers_two", "registers 2 plugins: one file is one plugin"));
}

TEST_F(Refusal, NoRegisterFunction) {
  EXPECT_EQ(refusal_of("no_register"),
            because("no_register",
                    "has no assay_register: end its source with ASSAY_PLUGIN, "
                    "outside namespaces"));
}

TEST_F(Refusal, ALibraryThatIsNoPlugin) {
  EXPECT_EQ(
      refusal_of("no_plugin"),
      because("no_plugin", "is a shared library, but no plugin: its source has no ASSAY_PLUGIN"));
}

TEST_F(Refusal, AnotherNameThanItsPath) {
  install("halve", "samplers/quarter");
  EXPECT_EQ(said_of("quarter"),
            because("quarter",
                    "says that it is sampler 'halve', but its path is that of sampler 'quarter'"));
}

TEST_F(Refusal, AnotherKindThanItsPath) {
  install("halve", "schedulers/halve");
  Registry registry({root()});
  Problems problems;
  EXPECT_EQ(
      plain(thrown([&] { registry.open("scheduler", "halve", at(), problems); })),
      "[3] a.yaml:3:9: scheduler 'halve' cannot be used: ROOT/schedulers/halve.so says that it "
      "is sampler 'halve', but its path is that of scheduler 'halve'");
}

TEST_F(Refusal, TheSameNameTwiceInOneFolderNamesBoth) {
  install("halve");
  install("halve", "samplers/halve-old");
  EXPECT_EQ(said_of("halve"),
            because("halve",
                    "and ROOT/samplers/halve-old.so both say that they are sampler "
                    "'halve': remove one of them"));
}

TEST_F(Refusal, WhatIsNoLibraryAtAll) {
  const auto file = install("halve");
  put(file, "#!/bin/sh\n");
  EXPECT_EQ(said_of("halve"), because("halve", "is no shared library"));
}

TEST_F(Refusal, AnEmptyFile) {
  put(install("halve"), "");
  EXPECT_EQ(said_of("halve"), because("halve", "is no shared library"));
}

TEST_F(Refusal, ATruncatedLibrary) {
  const auto file = install("halve");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_EQ(said_of("halve"), because("halve", "is cut short or damaged"));
}

TEST_F(Refusal, AFolder) {
  const auto file = install("halve");
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  EXPECT_EQ(said_of("halve"), because("halve", "is no regular file"));
}

TEST_F(Refusal, ALinkThatLeadsNowhere) {
  const auto file = install("halve");
  std::filesystem::remove(file);
  std::filesystem::create_symlink("gone.so", file);
  EXPECT_EQ(said_of("halve"), because("halve", "cannot be read: No such file or directory"));
}

}  // namespace
}  // namespace assay
