#include "results/run_summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "io/atomic_file.h"
#include "io/read_file.h"
#include "results/example_run.h"
#include "results/run_file.h"
#include "results/saving.h"
#include "results/summary.h"
#include "results/trailer.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

TEST(Outline, KeepsFirstLowestHighestAndLast) {
  const double nan = std::nan("");
  const Series outlined = outline({{0, 1, 2, 3, 4, 5}, {nan, 3, 1, 9, 1, 2}});
  EXPECT_EQ(outlined.steps, (std::vector<std::int64_t>{0, 2, 3, 5}));
  EXPECT_TRUE(std::isnan(outlined.values[0]));
  EXPECT_EQ(outline({}).steps.size(), 0U);
  EXPECT_EQ(outline({{7}, {1}}).steps.size(), 1U);
}

TEST(RunSummary, SaysWhatTheWholeFileSays) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.h5";
  write_run(file, example_run());
  const RunRecord whole = read_run(file, false), summary = read_summaries(file).front();
  EXPECT_EQ(summary.run, whole.run);
  EXPECT_EQ(summary.status, whole.status);
  EXPECT_EQ(summary.seed, whole.seed);
  EXPECT_EQ(summary.config, whole.config);
  EXPECT_EQ(summary.environment, whole.environment);
  ASSERT_EQ(summary.metrics.size(), whole.metrics.size());
  for (const auto& [name, series] : whole.metrics)
    for (const std::string& measured : measure_names()) {
      if (!in_summary(measured)) continue;
      const auto a = measure(series, measured), b = measure(summary.metrics.at(name), measured);
      ASSERT_EQ(a.has_value(), b.has_value()) << name << ' ' << measured;
      const bool same = !a || *a == *b || (std::isnan(*a) && std::isnan(*b));
      EXPECT_TRUE(same) << name << measured;
    }
}

TEST(RunSummary, OfAnOlderFileIsTheFile) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.h5";
  Saving saving;
  const RunRecord example = example_run();
  saving.save("", [&](auto& io) { run_layout(io, example); });
  std::string bytes(saving.finish().bytes());
  bytes += trailer(bytes, 1);
  write_atomically(file, std::as_bytes(std::span(bytes)));
  EXPECT_EQ(read_summaries(file).front().run, example_run().run);
  EXPECT_EQ(read_run(file).checkpoints.size(), 2U);
}

TEST(RunSummary, WithAnyByteChangedIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.h5", damaged = folder.path() / "b.h5";
  write_run(file, example_run());
  const std::string good = read_file(file);
  const auto start =
      static_cast<std::size_t>(read_trailer(good.substr(good.size() - kTrailerSize))->image_size);
  for (std::size_t at = start; at < good.size(); at += 7) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    std::ofstream(damaged, std::ios::binary).write(bytes.data(), std::ssize(bytes));
    // A changed hash of the whole alone is not seen: what ls reads is then still right.
    if (at < good.size() - 32) {
      EXPECT_NE(thrown([&] { read_summaries(damaged); }), "") << at - start;
    }
  }
}

TEST(RunSummary, OfWhatIsNoResultFileIsRefusedAsTheFileIs) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "no.h5";
  std::ofstream(file) << "short";
  const std::string message = thrown([&] { read_run(file); });
  EXPECT_EQ(thrown([&] { read_summaries(file); }), message);
  EXPECT_NE(message, "");
}

}  // namespace
}  // namespace assay
