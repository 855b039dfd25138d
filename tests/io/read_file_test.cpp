#include "io/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

TEST(ReadFile, GivesTheBytesAsTheyAre) {
  const TemporaryFolder folder;
  const std::string bytes = std::string("\0\r\n\xff", 4) + std::string(600000, 'x');
  put(folder / "a", bytes);
  put(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "a"), bytes);
  EXPECT_EQ(read_file(folder / "empty"), "");
}

TEST(ReadFile, SaysWhatIsWrongWithTheFile) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& name) {
    const std::string text = thrown([&] { read_file(folder / name); });
    const std::size_t at = text.find(folder.path().string());
    return at == std::string::npos ? text : text.substr(at + folder.path().string().size());
  };
  EXPECT_EQ(message("gone"), "/gone: no such file");
  EXPECT_EQ(message("."), "/.: is a folder: wanted a file");
  put(folder / "file", "x");
  EXPECT_EQ(message("file/inside"), "/file/inside: cannot be opened: Not a directory");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(message("pipe"), "/pipe: is a pipe, socket or device: wanted a regular file");
}

}  // namespace
}  // namespace assay
