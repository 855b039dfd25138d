#include "io/lock_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

TEST(LockFile, IsHeldByOneAtATimeAndLeavesNothing) {
  const TemporaryFolder folder;
  const auto file = folder / "runs/a.lock";
  EXPECT_FALSE(LockFile::is_held(file));
  {
    const LockFile lock(file);
    EXPECT_TRUE(LockFile::is_held(file));
    EXPECT_EQ(thrown([&] { LockFile second(file); }),
              "[5] " + file.string() + ": this run is being written by process " +
                  std::to_string(::getpid()) + "; wait for it, or stop it");
  }
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(thrown([&] { LockFile again(file); }), "");
}

TEST(LockFile, LeftByAKilledProcessStopsNobody) {
  const TemporaryFolder folder;
  const auto file = folder / "a.lock";
  const pid_t child = ::fork();
  if (child == 0) {
    const LockFile lock(file);
    ::_exit(0);  // no destructor
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_FALSE(LockFile::is_held(file));
  EXPECT_EQ(thrown([&] { LockFile again(file); }), "");
}

TEST(LockFile, ReaderThatAsksAllTheTimeNeverKeepsAWriterOut) {
  const TemporaryFolder folder;
  const auto file = folder / "a.lock";
  std::atomic<bool> over{false};
  std::atomic<int> asked{0};
  std::thread reader([&] {
    while (!over) {
      static_cast<void>(LockFile::is_held(file));
      ++asked;
    }
  });
  std::string refused;
  for (int i = 0; refused.empty() && (i < 2000 || asked < 2000); ++i) {
    put(file, "");  // left by a kill: there is something to ask about before the writer comes
    refused = thrown([&] { LockFile lock(file); });
  }
  over = true;
  reader.join();
  EXPECT_EQ(refused, "");
}

}  // namespace
}  // namespace assay
