#include "io/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Names = std::vector<std::string>;

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// The message without " (... free)" at its end, which differs from machine to machine.
std::string without_space(std::string text) {
  const std::size_t start = text.rfind(" (");
  if (start != std::string::npos && text.ends_with("B free)")) text.resize(start);
  return text;
}

/// A file may not grow beyond this: what a full disk does to a writer, with EFBIG for ENOSPC.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t size) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = size;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

/// A process id that nobody has.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(AtomicFile, CreatesTheFolderAndReplacesTheFile) {
  const TemporaryFolder folder;
  const auto file = folder / "a/b/run.h5";
  write_atomically(file, bytes("first"));
  write_atomically(file, bytes("second"));
  EXPECT_EQ(content(file), "second");
  write_atomically(file, bytes(""));
  EXPECT_EQ(content(file), "");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "a/b"), {}), 1);
}

TEST(AtomicFile, IsNotThereBeforeItIsPublishedAndLeavesNothingIfItIsNot) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "x", 1000);
    file.append(bytes("abc"));
    EXPECT_FALSE(std::filesystem::exists(folder / "x"));
    EXPECT_EQ(folder.names().size(), 1U);
  }
  EXPECT_EQ(folder.names(), Names{});
}

TEST(AtomicFile, HasTheSizeThatWasWrittenNotTheOneExpected) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "x", 1000);
  file.append(bytes("abc"));
  file.append(bytes("def"));
  file.publish();
  EXPECT_EQ(content(folder / "x"), "abcdef");
}

TEST(AtomicFile, RefusesToReplaceIfAsked) {
  const TemporaryFolder folder;
  const auto file = folder / "x";
  AtomicFile late(file, 0, IfExists::refuse);
  late.append(bytes("late"));
  write_atomically(file, bytes("early"), IfExists::refuse);
  const std::string wanted = "[5] " + file.string() + ": exists already";
  EXPECT_EQ(without_space(thrown([&] { late.publish(); })), wanted);
  EXPECT_EQ(without_space(thrown([&] { AtomicFile(file, 0, IfExists::refuse); })), wanted);
  EXPECT_EQ(content(file), "early");
}

TEST(AtomicFile, OnAFullDiskKeepsTheOldFileAndRemovesTheTemporary) {
  const TemporaryFolder folder;
  const auto file = folder / "x";
  write_atomically(file, bytes("old"));
  std::string reserving, writing;
  {
    const SizeLimit limit(4096);
    const std::string large(10000, 'x');
    reserving = thrown([&] { write_atomically(file, bytes(large)); });
    writing = thrown([&] {
      AtomicFile to(file);
      to.append(bytes(large));
    });
  }
  const std::string wanted = "[5] " + file.string() + ": cannot be written: File too large";
  EXPECT_EQ(without_space(reserving), wanted);
  EXPECT_EQ(without_space(writing), wanted);
  EXPECT_EQ(content(file), "old");
  EXPECT_EQ(folder.names(), Names{"x"});
}

TEST(AtomicFile, SaysWhyAPlaceCannotBeWritten) {
  const TemporaryFolder folder;
  put(folder / "file", "x");
  const auto message = [](const std::filesystem::path& file) {
    return without_space(thrown([&] { check_can_write(file); }));
  };
  const std::string at = folder.path().string();
  EXPECT_EQ(message(folder.path()), "[5] " + at + ": cannot be written: it is a folder");
  EXPECT_EQ(message(folder / "new/"), "[5] " + at + "/new/: cannot be written: it names no file");
  EXPECT_EQ(message(""), "[5] : cannot be written: it names no file");
  EXPECT_EQ(message(folder / "file/run.h5"), "[5] " + at + "/file/run.h5: the folder " + at +
                                                 "/file cannot be created: Not a directory");
  EXPECT_EQ(message("/proc/assay.h5"),
            "[5] /proc/assay.h5: cannot be written: No such file or directory");
  EXPECT_EQ(message("/proc/assay/x.h5"),
            "[5] /proc/assay/x.h5: the folder /proc/assay cannot be created: No such file or "
            "directory");
}

TEST(AtomicFile, CheckingLeavesNothingBehindButTheFolder) {
  const TemporaryFolder folder;
  check_can_write(folder / "a/x");
  EXPECT_EQ(folder.names(), Names{"a"});
  EXPECT_TRUE(std::filesystem::is_empty(folder / "a"));
}

TEST(AtomicFile, RemovesLeftoversOfDeadProcessesOnly) {
  const TemporaryFolder folder;
  const std::string dead = std::to_string(dead_process());
  const Names kept{"." + std::string("run.h5.") + std::to_string(::getpid()) + "-0.assay-tmp",
                   "run.h5." + dead + "-0.assay-tmp",  // not hidden: not our pattern
                   ".run.h5." + dead + "-0.tmp",
                   "." + dead + "-0.assay-tmp",
                   ".run.h5." + dead + "-x.assay-tmp",
                   ".run.h5." + dead + "x-0.assay-tmp",
                   ".run.h5.-0.assay-tmp",
                   ".run.h5.0-0.assay-tmp"};
  for (const std::string& name : kept) put(folder / name, "x");
  put(folder / (".run.h5." + dead + "-0.assay-tmp"), "x");
  put(folder / (".a-b.c." + dead + "-12.assay-tmp"), "x");
  EXPECT_EQ(remove_leftovers(folder.path()), 2);
  Names left = folder.names(), wanted = kept;
  std::sort(left.begin(), left.end());
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(left, wanted);
}

TEST(AtomicFile, KeepsATemporaryThatAProcessOutOfSightHasLocked) {
  const TemporaryFolder folder;
  const auto temporary = folder / (".x." + std::to_string(dead_process()) + "-0.assay-tmp");
  put(temporary, "x");
  const Descriptor writer(::open(temporary.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0);
  EXPECT_EQ(remove_leftovers(folder.path()), 0);
}

TEST(AtomicFile, WrittenByManyThreadsAtOnceIsAlwaysWhole) {
  const TemporaryFolder folder;
  std::vector<std::thread> writers;
  for (char letter = 'a'; letter < 'e'; ++letter)
    writers.emplace_back([&folder, letter] {
      const std::string text(10000, letter);
      for (int n = 0; n < 20; ++n) write_atomically(folder / "x", bytes(text));
    });
  for (std::thread& writer : writers) writer.join();
  const std::string text = content(folder / "x");
  EXPECT_EQ(text, std::string(10000, text.empty() ? ' ' : text.front()));
  EXPECT_EQ(folder.names(), Names{"x"});
}

}  // namespace
}  // namespace assay
