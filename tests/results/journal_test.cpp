#include "results/journal.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

class JournalFile : public testing::Test {
 protected:
  /// Three steps of two metrics.
  std::string written() {
    Journal journal(file, "id");
    for (int step = 0; step < 3; ++step) {
      journal.row("train/loss", step, 4.0 - step);
      journal.row("", step, 0.5);
      journal.flush(step + 1, 0.25);
    }
    return content(file);
  }

  TemporaryFolder folder;
  const std::filesystem::path file = folder / "run.journal";
};

TEST_F(JournalFile, GivesBackItsRows) {
  const std::string bytes = written();
  const JournalContent all = parse_journal("j", bytes);
  EXPECT_EQ(all.id, "id");
  EXPECT_EQ(all.records, 4U);
  EXPECT_EQ(all.steps, 3);
  EXPECT_EQ(all.seconds, 0.25);
  EXPECT_EQ(all.torn, 0U);
  EXPECT_EQ(all.metrics.at("train/loss").steps, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(all.metrics.at("train/loss").values, (std::vector<double>{4, 3, 2}));
  EXPECT_EQ(all.metrics.at("").values, (std::vector<double>{0.5, 0.5, 0.5}));
}

TEST_F(JournalFile, GivesBackTheSamplesOfEvaluations) {
  const std::vector<TextSample> first = {{0, "a", std::string("b\0c", 3), "greedy"},
                                         {0, "", "", ""}};
  Journal journal(file, "id");
  journal.samples(first);
  journal.samples({});
  journal.row("val/loss", 0, 2);
  journal.flush(1, 0);
  journal.samples(std::vector<TextSample>{{4, "a", "d", "greedy", true}});
  const JournalContent all = parse_journal("j", content(file));
  ASSERT_EQ(all.records, 4U);
  ASSERT_EQ(all.samples.size(), 3U);
  EXPECT_EQ(all.samples[0].text, first[0].text);
  EXPECT_EQ(all.samples[0].sampler, "greedy");
  EXPECT_EQ(all.samples[1].prompt, "");
  EXPECT_EQ(all.samples[2].step, 4);
  EXPECT_FALSE(all.samples[0].answers);
  EXPECT_TRUE(all.samples[2].answers);

  RunRecord record;  // a snapshot that has those of the first evaluation already
  record.samples = first;
  add_rows(record, all);
  ASSERT_EQ(record.samples.size(), 3U);
  EXPECT_EQ(record.samples[2].text, "d");
}

TEST_F(JournalFile, CutAtAnyLengthKeepsEveryWholeRecord) {
  const std::string bytes = written();
  // Where each record ends: head 20, checksum 4; an id of 2; 16 for a record's own numbers, and 20
  // and the name for each of its two rows.
  constexpr std::size_t kBeginning = 20 + 2 + 4, kStep = 20 + 16 + 2 * 20 + 10 + 4;
  ASSERT_EQ(bytes.size(), kBeginning + 3 * kStep);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const JournalContent part = parse_journal("j", std::string_view(bytes).substr(0, size));
    const std::size_t steps = size < kBeginning ? 0 : (size - kBeginning) / kStep;
    EXPECT_EQ(part.steps, static_cast<std::int64_t>(steps)) << size;
    EXPECT_EQ(part.records, size < kBeginning ? 0 : 1 + steps) << size;
    EXPECT_EQ(part.metrics.contains("train/loss") ? part.metrics.at("train/loss").values.size() : 0,
              steps)
        << size;
    EXPECT_EQ(part.torn, size < kBeginning ? size : size - kBeginning - steps * kStep) << size;
  }
}

TEST_F(JournalFile, WithAnyByteChangedGivesNoWrongRow) {
  std::string bytes = written();
  const JournalContent good = parse_journal("j", bytes);
  int refused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char before = bytes[i];
    bytes[i] = static_cast<char>(before ^ (1 << (i % 8)));
    try {
      const JournalContent part = parse_journal("j", bytes);
      EXPECT_LT(part.records, good.records) << i;  // only the last record can be taken for torn
      EXPECT_EQ(part.records, 3U) << i;
    } catch (const Error&) {
      ++refused;
    }
    const JournalContent saved = parse_journal("j", bytes, Damage::cut);
    for (const auto& [metric, rows] : saved.metrics)
      for (std::size_t k = 0; k < rows.values.size(); ++k)
        EXPECT_EQ(rows.values[k], good.metrics.at(metric).values[k]) << i;
    bytes[i] = before;
  }
  EXPECT_GT(refused, 0);
}

TEST_F(JournalFile, DamagedInTheMiddleSaysWhere) {
  std::string bytes = written();
  bytes[40] = static_cast<char>(bytes[40] ^ 1);
  EXPECT_EQ(thrown([&] { parse_journal("j", bytes); }),
            "[5] j: is damaged at byte 26, with good records behind it; `assay recover j.h5` saves "
            "what can be saved; `assay run --force` starts the run anew");
}

TEST_F(JournalFile, RestartedIsEmptyButForItsId) {
  Journal journal(file, "id");
  journal.row("a", 0, 1);
  journal.flush(1, 0);
  journal.restart();
  journal.row("a", 1, 2);
  journal.flush(2, 0);
  const JournalContent all = parse_journal("j", content(file));
  EXPECT_EQ(all.id, "id");
  EXPECT_EQ(all.metrics.at("a").steps, std::vector<std::int64_t>{1});
}

}  // namespace
}  // namespace assay
