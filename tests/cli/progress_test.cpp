#include "cli/progress.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/made_record.h"

namespace assay {
namespace {

/// A stream that remembers, and a clock that moves when told.
struct FakeScreen {
  Terminal terminal;
  std::string written;
  double time = 0;
  Screen screen() {
    return {[this] { return terminal; }, [this](std::string_view text) { written += text; },
            [this] { return time; }};
  }
};

Progress at_step(std::int64_t step, double loss, std::optional<double> validation = {}) {
  Progress progress;
  progress.step = step;
  progress.steps = 900;
  progress.loss = loss;
  progress.validation = validation;
  progress.tokens_per_second = 95100;
  progress.seconds_left = 65;
  return progress;
}

TEST(BarText, FillsInHalves) {
  EXPECT_EQ(bar_text(0, 4, true), "────");
  EXPECT_EQ(bar_text(0.375, 4, true), "━╸──");
  EXPECT_EQ(bar_text(1, 4, true), "━━━━");
  EXPECT_EQ(bar_text(0.375, 4, false), "#...");
}

TEST(BarLine, ShowsAllFiguresInEightyColumns) {
  Terminal terminal;
  terminal.width = 80;
  EXPECT_EQ(bar_line(at_step(450, 2.1134, 2.1082), terminal),
            " 50% #######........  450/900  1:05 left  loss 2.113  val 2.108  95.1k tokens/s");
}

TEST(BarLine, DropsFiguresBeforeTheBarWhereItIsNarrow) {
  for (const int width : {20, 30, 40, 60, 80, 200}) {
    Terminal terminal;
    terminal.width = width;
    const std::string line = bar_line(at_step(450, 2.1134, 2.1082), terminal);
    EXPECT_LT(display_width(line), width);
    EXPECT_NE(line.find("450/900"), std::string::npos) << width;
  }
}

TEST(BarLine, NeverSaysAllDoneBeforeTheEnd) {
  EXPECT_EQ(bar_line(at_step(899, 2), Terminal()).substr(0, 4), " 99%");
}

TEST(ProgressReporter, RedrawsInPlaceAtMostTenTimesASecond) {
  FakeScreen fake;
  fake.terminal.interactive = true;
  ProgressReporter reporter(fake.screen());
  reporter.planned(1, 900);
  reporter.started("gpt", 900);
  fake.time = 1;
  for (int step = 1; step <= 100; ++step) reporter.progress("gpt", at_step(step, 2));
  EXPECT_EQ(std::count(fake.written.begin(), fake.written.end(), '\r'), 1);
  fake.time = 1.11;
  reporter.progress("gpt", at_step(101, 2));
  EXPECT_EQ(std::count(fake.written.begin(), fake.written.end(), '\r'), 2);
  EXPECT_EQ(std::count(fake.written.begin(), fake.written.end(), '\n'), 1);  // that of the start
}

TEST(ProgressReporter, WritesALineForEachEvaluationAndEveryFiveSecondsToALog) {
  FakeScreen fake;
  ProgressReporter reporter(fake.screen());
  reporter.planned(1, 900);
  reporter.started("gpt", 900);
  reporter.progress("gpt", at_step(0, 4.25, 4.5));
  reporter.progress("gpt", at_step(1, 4.2, 4.5));
  fake.time = 5.1;
  reporter.progress("gpt", at_step(60, 3.5, 4.5));
  reporter.progress("gpt", at_step(61, 3.5, 4.5));
  reporter.progress("gpt", at_step(150, 2.5, 2.625));
  EXPECT_EQ(fake.written,
            "gpt: 900 steps\n"
            "step 0/900  loss 4.2500  val 4.5000  95.1k tokens/s  1:05 left\n"
            "step 60/900  loss 3.5000  val 4.5000  95.1k tokens/s  1:05 left\n"
            "step 150/900  loss 2.5000  val 2.6250  95.1k tokens/s  1:05 left\n");
}

TEST(ProgressReporter, TellsOfSeveralRunsTogether) {
  FakeScreen fake;
  ProgressReporter reporter(fake.screen());
  reporter.planned(2, 1800);
  reporter.started("a", 900);
  reporter.started("b", 900);
  fake.time = 6;
  reporter.progress("a", at_step(150, 2.5));
  RunRecord record = made_record();
  reporter.finished("a", record, "a.h5", false);
  fake.time = 12;
  reporter.progress("b", at_step(300, 2.5));
  EXPECT_EQ(fake.written,
            "2 runs, 1800 steps in all\n"
            "0 of 2 runs finished, 2 running  step 150/1800  95.1k tokens/s  1:06 left\n"
            "a: done, 900 steps in 12.3 s, val/loss 2.0000 -> a.h5\n"
            "1 of 2 runs finished, 1 running  best val 2.0000  step 1200/1800  95.1k tokens/s  0:06 left\n");
}

TEST(ProgressReporter, SaysThatARunWasCompleteAlready) {
  FakeScreen fake;
  ProgressReporter reporter(fake.screen());
  reporter.planned(0, 0);
  reporter.finished("a", made_record(), "a.h5", true);
  EXPECT_EQ(fake.written, "a: already complete (900 steps), val/loss 2.0000 -> a.h5\n");
}

TEST(ProgressReporter, GivesTheReasonOfAFailureWhenItHappens) {
  FakeScreen fake;
  ProgressReporter reporter(fake.screen());
  RunRecord record = made_record();
  record.status = RunStatus::failed;
  record.message = "step 12: loss is nan";
  record.metrics.clear();
  reporter.finished("a", record, "a.h5", false);
  EXPECT_EQ(fake.written, "a: failed, 900 steps in 12.3 s: step 12: loss is nan -> a.h5\n");
}

TEST(ProgressReporter, TakesTheBarAwayBeforeALine) {
  FakeScreen fake;
  fake.terminal.interactive = true;
  ProgressReporter reporter(fake.screen());
  reporter.started("gpt", 900);
  fake.time = 1;
  reporter.progress("gpt", at_step(450, 2));
  fake.written.clear();
  reporter.note("gpt", "2 validation tokens: no window of 8");
  EXPECT_EQ(fake.written, "\r\033[Kgpt: note: 2 validation tokens: no window of 8\n");
}

}  // namespace
}  // namespace assay
