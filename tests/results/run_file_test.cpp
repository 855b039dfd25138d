#include "results/run_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstring>
#include <thread>

#include "results/example_run.h"
#include "results/saving.h"
#include "results/trailer.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Names = std::vector<std::string>;

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void expect_equal(const RunRecord& got, const RunRecord& wanted) {
  EXPECT_EQ(got.name, wanted.name);
  EXPECT_EQ(got.run, wanted.run);
  EXPECT_EQ(got.status, wanted.status);
  EXPECT_EQ(got.message, wanted.message);
  EXPECT_EQ(got.seed, wanted.seed);
  EXPECT_EQ(got.parameters, wanted.parameters);
  EXPECT_EQ(got.steps, wanted.steps);
  EXPECT_EQ(got.digest, wanted.digest);
  EXPECT_EQ(got.started, wanted.started);
  EXPECT_EQ(got.seconds, wanted.seconds);
  EXPECT_EQ(got.config, wanted.config);
  EXPECT_EQ(got.config_hash, wanted.config_hash);
  EXPECT_EQ(got.origins, wanted.origins);
  EXPECT_EQ(got.environment, wanted.environment);
  EXPECT_EQ(got.id, wanted.id);
  EXPECT_EQ(got.experiment, wanted.experiment);
  EXPECT_EQ(got.history, wanted.history);
  EXPECT_EQ(got.data, wanted.data);
  ASSERT_EQ(got.plugins.size(), wanted.plugins.size());
  for (std::size_t i = 0; i < got.plugins.size(); ++i) {
    const PluginIdentity &a = got.plugins[i], &b = wanted.plugins[i];
    EXPECT_EQ(std::tie(a.kind, a.name, a.version, a.file, a.sha256),
              std::tie(b.kind, b.name, b.version, b.file, b.sha256));
  }
  ASSERT_EQ(got.trajectories.size(), wanted.trajectories.size());
  for (const auto& [name, trajectory] : wanted.trajectories) {
    EXPECT_EQ(got.trajectories.at(name).parameters, trajectory.parameters);
    EXPECT_EQ(got.trajectories.at(name).steps, trajectory.steps);
    EXPECT_EQ(got.trajectories.at(name).hashes, trajectory.hashes);
  }
  ASSERT_EQ(got.attention.size(), wanted.attention.size());
  for (const auto& [layer, maps] : wanted.attention) {
    const AttentionMaps& read = got.attention.at(layer);
    EXPECT_EQ(std::tie(read.step, read.text, read.queries, read.keys),
              std::tie(maps.step, maps.text, maps.queries, maps.keys));
    EXPECT_EQ(read.weights.shape, maps.weights.shape);
    EXPECT_EQ(read.weights.data, maps.weights.data);
  }
  ASSERT_EQ(got.samples.size(), wanted.samples.size());
  for (std::size_t i = 0; i < got.samples.size(); ++i) {
    const TextSample &a = got.samples[i], &b = wanted.samples[i];
    EXPECT_EQ(std::tie(a.step, a.prompt, a.text, a.sampler),
              std::tie(b.step, b.prompt, b.text, b.sampler));
  }
  ASSERT_EQ(got.metrics.size(), wanted.metrics.size());
  for (const auto& [name, series] : wanted.metrics) {
    ASSERT_TRUE(got.metrics.contains(name)) << name;
    EXPECT_EQ(got.metrics.at(name).steps, series.steps) << name;
    EXPECT_TRUE(same_bits(got.metrics.at(name).values, series.values)) << name;
  }
  EXPECT_TRUE(same(got.tokenizer, wanted.tokenizer));
  ASSERT_EQ(got.checkpoints.size(), wanted.checkpoints.size());
  for (const auto& [name, checkpoint] : wanted.checkpoints) {
    ASSERT_TRUE(got.checkpoints.contains(name)) << name;
    EXPECT_TRUE(same(got.checkpoints.at(name), checkpoint)) << name;
  }
}

class RunFile : public testing::Test {
 protected:
  /// What reading these bytes as a result file throws, without the file's name.
  std::string refusal(const std::string& bytes) {
    std::filesystem::create_directories(file.parent_path());
    put(file, bytes);
    const std::string text = thrown([&] { read_run(file); });
    const std::string start = "[5] " + file.string() + ": ";
    return text.starts_with(start) ? text.substr(start.size()) : text;
  }

  TemporaryFolder folder;
  const std::filesystem::path file = folder / "results/gpt/run.h5";
};

TEST_F(RunFile, GivesBackEverythingThatWasWritten) {
  write_run(file, example_run());
  expect_equal(read_run(file), example_run());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}), 1);
}

TEST_F(RunFile, GivesBackAttention) {
  RunRecord run = example_run();
  run.attention["layer0/attention"] = {
      4, "Ro", {"R", "o"}, {"R", "o"}, {{1, 2, 2}, std::vector<float>{1, 0, 0.25F, 0.75F}}};
  write_run(file, run);
  expect_equal(read_run(file), run);
}

TEST_F(RunFile, GivesBackAnEmptyRun) {
  write_run(file, RunRecord());
  expect_equal(read_run(file), RunRecord());
}

TEST_F(RunFile, LeavesCheckpointsOutIfAsked) {
  write_run(file, example_run());
  RunRecord wanted = example_run();
  wanted.checkpoints.clear();
  expect_equal(read_run(file, false), wanted);
}

TEST_F(RunFile, OfTheSameRunHasTheSameBytes) {
  write_run(file, example_run());
  const std::string first = content(file);
  write_run(file, example_run());
  EXPECT_TRUE(content(file) == first);
}

TEST_F(RunFile, StoresABestThatIsAlsoTheLastOnce) {
  RunRecord run = example_run();
  run.checkpoints["final"].weights["large"] = {{50000}, std::vector<float>(50000, 0.5F)};
  write_run(file, run);
  const auto apart = std::filesystem::file_size(file);
  run.checkpoints["best"] = run.checkpoints["final"];
  write_run(file, run);
  EXPECT_LT(std::filesystem::file_size(file), apart);
  expect_equal(read_run(file), run);
}

// D26: configurations and vocabularies beyond the 64 KiB that an HDF5 attribute can hold.
TEST_F(RunFile, HoldsALargeConfigurationAndVocabulary) {
  RunRecord run;
  while (run.config.size() < 70000)
    run.config += "# a comment, number " + std::to_string(run.config.size()) + "\n";
  std::string tokens;
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < 10000; ++i) {
    const std::string token = "token" + std::to_string(i);
    tokens += token;
    lengths.push_back(static_cast<std::int64_t>(token.size()));
  }
  run.tokenizer["tokens"] = {{static_cast<std::int64_t>(tokens.size())}, tokens};
  run.tokenizer["lengths"] = {{10000}, lengths};
  run.tokenizer["values"] = {{9000}, std::vector<double>(9000, 1.0 / 3)};
  for (int i = 0; i < 3000; ++i)
    run.origins.emplace_back("key" + std::to_string(i), tokens.substr(0, 40));
  for (int i = 0; i < 200; ++i) run.metrics["probe/" + std::to_string(i)] = {{i}, {i * 0.5}};
  run.metrics[std::string(3000, '/')] = {{1}, {1}};
  write_run(file, run);
  expect_equal(read_run(file), run);
}

TEST_F(RunFile, HoldsAnArrayOfManyChunks) {
  RunRecord run;
  std::vector<float> values(3 * 700001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  run.checkpoints["final"].weights["w"] = {{3, 700001}, values};
  write_run(file, run);
  expect_equal(read_run(file), run);
}

TEST_F(RunFile, RefusesToStoreAnArrayThatDoesNotFillItsShape) {
  RunRecord run;
  run.tokenizer["a/b"] = {{2, 2}, std::vector<float>(3)};
  EXPECT_EQ(thrown([&] { write_run(file, run); }),
            "[1] tokenizer/a%2Fb: 3 numbers do not fill the shape [2,2]");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(RunFile, SaysWhatIsWrongWithAFileThatIsNone) {
  write_run(file, example_run());
  const std::string good = content(file);
  EXPECT_EQ(refusal(""), "is empty: wanted a result file of Assay");
  EXPECT_EQ(refusal("name: gpt\n"),
            "is no result file of Assay: it does not start as HDF5 files do");
  const std::string advice = "`assay recover " + file.string() + "` saves what can be saved";
  const std::string cut =
      "is an HDF5 file without the trailer of a result file: it was cut short, changed by another "
      "program, or is not from Assay; " +
      advice;
  EXPECT_EQ(refusal(good.substr(0, good.size() - 1)), cut);
  EXPECT_EQ(refusal(good.substr(0, 20)), cut);
  EXPECT_EQ(refusal(good + "\n"), cut);
  std::string changed = good;
  changed[good.size() / 2] = static_cast<char>(changed[good.size() / 2] ^ 1);
  EXPECT_EQ(refusal(changed),
            "is damaged: its SHA-256 is not the one it was written with; " + advice);
  std::filesystem::remove(file);
  EXPECT_EQ(thrown([&] { read_run(file); }), "[5] " + file.string() + ": no such file");
  EXPECT_EQ(thrown([&] { read_run(folder.path()); }),
            "[5] " + folder.path().string() + ": is a folder: wanted a file");
}

// Written by the first version of this program; the committed file never changes.
TEST_F(RunFile, OfLayout1IsRead) {
  RunRecord wanted = example_run();
  wanted.id = wanted.experiment = "";
  wanted.history.clear();
  wanted.expectations.clear();
  wanted.trajectories.clear();
  for (TextSample& sample : wanted.samples) sample.sampler.clear();
  expect_equal(read_run(ASSAY_TESTS "/golden/layout1.h5"), wanted);
}

TEST_F(RunFile, RefusesANewerLayoutByItsNumber) {
  write_run(file, RunRecord());
  const std::string bytes = content(file);
  std::string image(unseal("run.h5", bytes, kLayout));
  image += trailer(image, kPackLayout + 1);
  EXPECT_EQ(refusal(image), "has layout 5, this Assay reads up to 4: use a newer one");
}

TEST_F(RunFile, RefusesAnImageOfAnotherProgramEvenIfSealed) {
  std::string image = "\x89HDF\r\n\x1a\n" + std::string(500, 'x');
  image += trailer(image, kLayout);
  EXPECT_EQ(refusal(image), "/: H5F__superblock_prefix_decode: bad superblock version number");
}

// A file whose hash is right before HDF5 is called cannot have changed: so each change must end in
// unseal.
TEST_F(RunFile, WithAnyOneByteChangedIsRefusedBeforeHdf5SeesIt) {
  write_run(file, RunRecord());
  std::string bytes = content(file);
  ASSERT_EQ(thrown([&] { unseal("run.h5", bytes, kLayout); }), "");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char before = bytes[i];
    bytes[i] = static_cast<char>(before ^ (1 << (i % 8)));
    EXPECT_NE(thrown([&] { unseal("run.h5", bytes, kLayout); }), "") << "byte " << i;
    bytes[i] = before;
  }
}

TEST_F(RunFile, CutAtAnyLengthIsRefusedBeforeHdf5SeesIt) {
  write_run(file, RunRecord());
  const std::string bytes = content(file);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(thrown([&] { unseal("run.h5", std::string_view(bytes).substr(0, size), kLayout); }),
              "")
        << size << " bytes";
}

TEST_F(RunFile, OnAFullDiskStaysAsItWas) {
  write_run(file, RunRecord());
  const std::string before = content(file);
  RunRecord large = example_run();
  large.tokenizer["values"] = {{100000}, std::vector<double>(100000, 0.5)};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit unlimited = limit;
  limit.rlim_cur = 65536;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const std::string text = thrown([&] { write_run(file, large); });
  ::setrlimit(RLIMIT_FSIZE, &unlimited);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(text.substr(0, text.find(" (")),
            "[5] " + file.string() + ": cannot be written: File too large");
  EXPECT_TRUE(content(file) == before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}), 1);
}

TEST_F(RunFile, CanBeWrittenAndReadByFourThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> good(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int n = 0; n < 50; ++n) {
        RunRecord run;
        run.name = std::to_string(t);
        run.seed = static_cast<std::uint64_t>(n);
        run.metrics["val/loss"] = {{0, n}, {4.5, t + 0.5}};
        const auto own = folder / ("run-" + run.name + "-" + std::to_string(n) + ".h5");
        write_run(own, run);
        const RunRecord back = read_run(own);
        if (back.name == run.name && back.seed == run.seed &&
            back.metrics.at("val/loss").values == run.metrics.at("val/loss").values)
          ++good[static_cast<std::size_t>(t)];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 50));
}

TEST_F(RunFile, IsCheckedToBeWritableBeforeTheRun) {
  check_writable(file);
  EXPECT_TRUE(std::filesystem::is_directory(file.parent_path()));
  EXPECT_TRUE(std::filesystem::is_empty(file.parent_path()));
  put(folder / "file", "x");
  const std::string text = thrown([&] { check_writable(folder / "file/run.h5"); });
  EXPECT_EQ(text.substr(0, text.find(" (")), "[5] " + (folder / "file/run.h5").string() +
                                                 ": the folder " + (folder / "file").string() +
                                                 " cannot be created: Not a directory");
}

}  // namespace
}  // namespace assay
