#include "cli/summary.h"

#include <gtest/gtest.h>

#include <limits>

#include "cli/json.h"
#include "cli/made_record.h"

namespace assay {
namespace {

TEST(SummaryJson, HasTheDocumentedShape) {
  EXPECT_EQ(write_json(summary_json(made_record())),
            R"({
  "name": "gpt",
  "run": "gpt_seed=1_1f3a9c04",
  "status": "done",
  "message": "",
  "seed": 1,
  "parameters": 112065,
  "steps": 900,
  "digest": "5ac9",
  "started": "2026-11-30T01:54:07Z",
  "seconds": 12.3,
  "metrics": {
    "train/loss": {"last": 2.5, "min": 2, "step_of_min": 2},
    "val/loss": {"last": 2, "min": 1.875, "step_of_min": 450}
  },
  "tables": {},
  "expectations": [],
  "limit": 1.5,
  "config": "name: gpt\nseed: 1\nmodel:\n  type: gpt\n  width: 64\n",
  "config_hash": "c0ffee",
  "plugins": [
    {
      "kind": "model",
      "name": "gpt",
      "version": "0.1.0",
      "file": "models/gpt.so",
      "sha256": "0123456789abcdef0123"
    }
  ],
  "environment": {"threads": "2"},
  "data": {"limit nats/token": "1.5", "limit meaning": "entropy of the source"},
  "history": [],
  "samples": [
    {"step": 900, "sampler": "temperature 0.8", "prompt": "\n", "text": "First Citizen:\nSpeak"}
  ]
}
)");
}

TEST(SummaryJson, WritesNanAsTextAndLeavesItOutOfTheMinimum) {
  RunRecord record = made_record();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  record.metrics.clear();
  record.metrics["a"] = {{0, 10, 20}, {nan, 1.5, nan}};
  record.metrics["b"] = {{0}, {nan}};
  record.metrics["c"] = {{0, 10}, {std::numeric_limits<double>::infinity(), 2}};
  const Value json = summary_json(record);
  EXPECT_EQ(write_json(*json.find("metrics")),
            "{\n"
            "  \"a\": {\"last\": \"nan\", \"min\": 1.5, \"step_of_min\": 10},\n"
            "  \"b\": {\"last\": \"nan\", \"min\": null, \"step_of_min\": null},\n"
            "  \"c\": {\"last\": 2, \"min\": 2, \"step_of_min\": 10}\n"
            "}\n");
}

TEST(SummaryJson, KeepsTheLargestSeed) {
  RunRecord record = made_record();
  record.seed = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(summary_json(record).find("seed")->text(), "18446744073709551615");
}

TEST(SummaryText, SaysHowFarTheModelIsFromTheLimit) {
  const std::string text = summary_text(made_record(), "gpt.h5", plain_terminal());
  EXPECT_NE(text.find("val/loss is 0.5000 nats above the limit of 1.5000: entropy of the source\n"),
            std::string::npos)
      << text;
}

TEST(SummaryText, ListsEachMetricWithItsLastAndItsLowestValue) {
  const std::string text = summary_text(made_record(), "gpt.h5", plain_terminal());
  EXPECT_NE(text.find("metric        last  lowest  at step  values\n"
                      "----------  ------  ------  -------  ------\n"
                      "train/loss  2.5000  2.0000        2       4\n"
                      "val/loss    2.0000  1.8750      450       3\n"),
            std::string::npos)
      << text;
}

TEST(SummaryText, NeverSendsControlCharactersOfASampleToTheTerminal) {
  RunRecord record = made_record();
  record.samples = {{900, "\n", "a\033[2Jb\xFF", ""}};
  const std::string text = summary_text(record, "gpt.h5", plain_terminal());
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_NE(text.find("a [2Jb\uFFFD"), std::string::npos);
}

TEST(SummaryText, WorksForARunThatFailedBeforeItsFirstStep) {
  RunRecord record = made_record();
  record.status = RunStatus::failed;
  record.message = "step 0: loss is nan";
  record.metrics.clear();
  record.samples.clear();
  const std::string text = summary_text(record, "gpt.h5", plain_terminal());
  EXPECT_EQ(text.substr(0, text.find("  file")),
            "gpt / gpt_seed=1_1f3a9c04  failed\n"
            "  message      step 0: loss is nan\n");
}

}  // namespace
}  // namespace assay
