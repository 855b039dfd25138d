#include "config/duration.h"

#include <gtest/gtest.h>

#include "config/options.h"
#include "config/yaml.h"
#include "support/trees.h"

namespace assay {
namespace {

using Unit = Duration::Unit;

Duration parsed(std::string_view text) {
  Duration duration(-1);
  EXPECT_EQ(parse_duration(text, duration), DurationError::none) << text;
  return duration;
}

TEST(Duration, IsInStepsTokensEpochsOrSeconds) {
  EXPECT_EQ(parsed("100"), Duration(100));
  EXPECT_EQ(parsed("010"), Duration(10));
  EXPECT_EQ(parsed("1e3"), Duration(1000));
  EXPECT_EQ(parsed("2.0"), Duration(2));
  EXPECT_EQ(parsed("20Mt"), Duration(20e6, Unit::tokens));
  EXPECT_EQ(parsed("1.1Mt"), Duration(1100000, Unit::tokens));
  EXPECT_EQ(parsed("5kt"), Duration(5000, Unit::tokens));
  EXPECT_EQ(parsed("2Gt"), Duration(2e9, Unit::tokens));
  EXPECT_EQ(parsed("1e6t"), Duration(1e6, Unit::tokens));
  EXPECT_EQ(parsed("2e"), Duration(2, Unit::epochs));
  EXPECT_EQ(parsed("0.5e"), Duration(0.5, Unit::epochs));
  EXPECT_EQ(parsed("1e3e"), Duration(1000, Unit::epochs));
  EXPECT_EQ(parsed("30s"), Duration(30, Unit::seconds));
}

TEST(Duration, IsWrittenAsOneTextThatIsReadBack) {
  for (const char* text : {"0", "100", "20Mt", "1500kt", "999t", "0t", "3Gt", "2e", "0.5e", "30s"})
    EXPECT_EQ(duration_text(parsed(text)), text);
  EXPECT_EQ(duration_text(parsed("20000kt")), "20Mt");
  EXPECT_EQ(duration_text(parsed("1.5Mt")), "1500kt");
  EXPECT_EQ(duration_text(parsed("1e3")), "1000");
}

TEST(Duration, InOtherUnitsIsTheStepThatReachesIt) {
  Pace pace;
  pace.examples_per_step = 32;
  pace.tokens_per_step = 32 * 64;
  pace.examples_per_epoch = [] { return 320.0; };
  EXPECT_EQ(pace.steps(parsed("100")), 100);
  EXPECT_EQ(pace.steps(parsed("0t")), 0);
  EXPECT_EQ(pace.steps(parsed("1t")), 1);
  EXPECT_EQ(pace.steps(parsed("2048t")), 1);
  EXPECT_EQ(pace.steps(parsed("2049t")), 2);
  EXPECT_EQ(pace.steps(parsed("20Mt")), 9766);  // 9765.625
  EXPECT_EQ(pace.steps(parsed("2e")), 20);
  EXPECT_EQ(pace.steps(parsed("1.1e")), 11);
  EXPECT_EQ(pace.steps(parsed("1.11e")), 12);
  EXPECT_EQ(pace.steps(parsed("9e15e")), std::int64_t{1} << 53);  // the most there can be
}

struct DurationOptions {
  Duration warmup = 100;
  std::optional<Duration> every;
  static void describe(OptionList<DurationOptions>& o) {
    o.add("warmup", &DurationOptions::warmup, "Warm-up.").at_least(1);
    o.add("every", &DurationOptions::every, "Interval.").at_least(0).or_seconds();
  }
};

std::string duration_problems(std::string_view yaml) {
  DurationOptions options;
  Problems problems;
  describe_options<DurationOptions>().read(&options, read_yaml(yaml, "f.yaml"), "t", "section 't'",
                                           problems);
  return problems.text();
}

std::string resolved_duration(std::string_view yaml) {
  DurationOptions options;
  Problems problems;
  const auto table = describe_options<DurationOptions>();
  table.read(&options, read_yaml(yaml, "f.yaml"), "t", "section 't'", problems);
  problems.raise();
  return write_yaml_flow(table.write(&options));
}

TEST(Duration, OfAnOptionIsReadAndWritten) {
  EXPECT_EQ(resolved_duration("{}"), "{warmup: 100}");
  EXPECT_EQ(resolved_duration("{warmup: 20Mt, every: 30s}"), "{warmup: 20Mt, every: 30s}");
  EXPECT_EQ(resolved_duration("{warmup: '2e', every: \"0t\"}"), "{warmup: 2e, every: 0t}");
}

TEST(Duration, ThatIsWrongSaysWhatIsWanted) {
  const std::string wanted =
      "f.yaml:1:10: t.warmup: wanted steps (100), tokens (20Mt) or epochs (2e), at least 1; got ";
  EXPECT_EQ(messages(duration_problems("{warmup: 20M}")),
            wanted + "text \"20M\"; did you mean 20Mt?");
  EXPECT_EQ(messages(duration_problems("{warmup: 2 e}")), wanted + "text \"2 e\"");
  EXPECT_EQ(messages(duration_problems("{warmup: 2epochs}")), wanted + "text \"2epochs\"");
  EXPECT_EQ(messages(duration_problems("{warmup: 30s}")), wanted + "text \"30s\"");
  EXPECT_EQ(messages(duration_problems("{warmup: 0}")), wanted + "0");
  EXPECT_EQ(messages(duration_problems("{warmup: 0t}")), wanted + "text \"0t\"");
  EXPECT_EQ(messages(duration_problems("{warmup: -2e}")), wanted + "-2e");
  EXPECT_EQ(messages(duration_problems("{warmup: 1.5}")), wanted + "1.5, which is not whole");
  EXPECT_EQ(messages(duration_problems("{warmup: 0.5t}")),
            wanted + "text \"0.5t\", which is not whole");
  EXPECT_EQ(messages(duration_problems("{warmup: 1e30}")), wanted + "1e30, which is too many");
  EXPECT_EQ(messages(duration_problems("{warmup: 1e300e}")), wanted + "1e300e, which is too many");
  EXPECT_EQ(messages(duration_problems("{warmup: 1e16e}")), wanted + "1e16e, which is too many");
  EXPECT_EQ(messages(duration_problems("{warmup: \"100\"}")),
            wanted + "text \"100\", which is quoted: remove the quotes");
  EXPECT_EQ(messages(duration_problems("{warmup: 0x10}")), wanted + "0x10");
  EXPECT_EQ(messages(duration_problems("{warmup: 1_000}")), wanted + "1_000");
  EXPECT_EQ(messages(duration_problems("{warmup: [1]}")), wanted + "a list of 1");
  EXPECT_EQ(duration_problems("{every: 1h}"),
            "f.yaml:1:9: t.every: wanted steps (100), tokens (20Mt), epochs (2e) or seconds (30s), "
            "at least 0; got text \"1h\"\n"
            "  {every: 1h}\n"
            "          ^");
}

}  // namespace
}  // namespace assay
