#include "io/append_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "support/temporary_folder.h"

namespace {
std::atomic<int> folders_synced{0};
}

// In place of the C library's: what a power cut takes can be seen by the folders that were synced.
extern "C" int fsync(int file) {
  struct stat found {};
  if (::fstat(file, &found) == 0 && S_ISDIR(found.st_mode)) ++folders_synced;
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace assay {
namespace {

TEST(AppendFile, FirstSyncBringsItsNameToTheDiskToo) {
  const TemporaryFolder folder;
  folders_synced = 0;
  AppendFile file(folder / "a.journal", 0);
  file.append("one");
  EXPECT_EQ(folders_synced, 0);
  file.sync();
  EXPECT_EQ(folders_synced, 1);
  file.append("two");
  file.sync();
  EXPECT_EQ(folders_synced, 1);
  EXPECT_EQ(content(folder / "a.journal"), "onetwo");
}

TEST(AppendFile, KeepsAsManyBytesAsAskedFor) {
  const TemporaryFolder folder;
  put(folder / "a.journal", "one two");
  AppendFile file(folder / "a.journal", 4);
  file.append("three");
  EXPECT_EQ(content(folder / "a.journal"), "one three");
  file.clear();
  EXPECT_EQ(file.size(), 0U);
}

}  // namespace
}  // namespace assay
