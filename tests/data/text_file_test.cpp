#include "data/text_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "io/sha256.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

class TextFileTest : public testing::Test {
 protected:
  std::string read(const std::string& bytes, Newlines newlines = Newlines::normalise,
                   Invalid invalid = Invalid::refuse) {
    put(file, bytes);
    return read_text_file(file, newlines, invalid).text;
  }
  std::string failure(const std::string& bytes) {
    return thrown([&] { read(bytes); });
  }

  TemporaryFolder folder;
  const std::filesystem::path file = folder / "play.txt";
  const std::string place = "[5] " + file.string() + ": ";
};

TEST_F(TextFileTest, DropsAByteOrderMarkAndNormalisesCrLf) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a\r\nb\r\n"),
            "a\nb\n");
}

TEST_F(TextFileTest, NormalisesLoneCarriageReturns) {
  EXPECT_EQ(read("a\r\rb\r\n\r"), "a\n\nb\n\n");
}

TEST_F(TextFileTest, KeepsLineEndingsIfTold) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a\r\nb\r",
                 Newlines::keep),
            "a\r\nb\r");
}

TEST_F(TextFileTest, LosesNothingOfAFileWithoutFinalNewline) {
  EXPECT_EQ(read("a\nb"), "a\nb");
}

TEST_F(TextFileTest, TakesNulForAnOrdinaryCharacter) {
  const std::string text("a\0b\n", 4);
  EXPECT_EQ(read(text), text);
}

TEST_F(TextFileTest, NamesTheByteThatIsNotUtf8) {
  EXPECT_EQ(failure("a\xFF"
                    "b\n"),
            place + "byte 1 (0xFF) is not UTF-8; convert the file");
  EXPECT_EQ(thrown([&] {
              read_text_file(file, Newlines::normalise, Invalid::refuse, "or set `invalid: keep`");
            }),
            place + "byte 1 (0xFF) is not UTF-8; convert the file, or set `invalid: keep`");
}

TEST_F(TextFileTest, CountsTheByteOrderMarkInOffsets) {
  EXPECT_TRUE(failure("\xEF\xBB\xBF"
                      "caf\xE9")
                  .starts_with(place + "byte 6 (0xE9) is not UTF-8"));
}

TEST_F(TextFileTest, ReplacesInvalidBytesAndSaysHowMany) {
  put(file,
      "a\xFF"
      "b\xE9\x80\n");
  const TextFile got = read_text_file(file, Newlines::normalise, Invalid::replace);
  EXPECT_EQ(got.text, "a\uFFFDb\uFFFD\uFFFD\n");
  EXPECT_EQ(got.replaced, 3);
}

TEST_F(TextFileTest, KeepsInvalidBytesIfTold) {
  const std::string bytes =
      "a\xFF"
      "b\n";
  EXPECT_EQ(read(bytes, Newlines::normalise, Invalid::keep), bytes);
}

TEST_F(TextFileTest, RefusesUtf16) {
  const std::string message =
      place +
      "is UTF-16 or UTF-32 text: wanted UTF-8; convert it, as in `iconv -f UTF-16 -t UTF-8`";
  EXPECT_EQ(failure(std::string("\xFF\xFE"
                                "a\0",
                                4)),
            message);
  EXPECT_EQ(failure(std::string("\xFE\xFF\0a", 4)), message);
}

TEST_F(TextFileTest, RefusesAnEmptyFileAndOneThatIsOnlyAMark) {
  EXPECT_EQ(failure(""), place + "is empty: wanted text");
  EXPECT_EQ(failure("\xEF\xBB\xBF"), place + "is empty: wanted text");
}

TEST_F(TextFileTest, NamesAMissingFileAndAFolder) {
  const auto reading = [](const std::filesystem::path& path) {
    return thrown([&] { read_text(path); });
  };
  EXPECT_EQ(reading(file), place + "no such file");
  EXPECT_EQ(reading(folder.path()),
            "[5] " + folder.path().string() + ": is a folder: wanted a file");
}

TEST_F(TextFileTest, NamesAFileWithoutPermission) {
  put(file, "text");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  constexpr uid_t kNobody = 65534;
  // Root may read all: be somebody else meanwhile.
  const uid_t user = ::geteuid();
  ASSERT_EQ(::seteuid(user == 0 ? kNobody : user), 0);
  const std::string message = thrown([&] { read_text(file); });
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_EQ(message, place + "cannot be opened: Permission denied");
}

TEST_F(TextFileTest, HashesTheBytesOnDisk) {
  const std::string bytes =
      "\xEF\xBB\xBF"
      "a\r\n";
  put(file, bytes);
  EXPECT_EQ(read_text_file(file, Newlines::normalise, Invalid::refuse).sha256, sha256_hex(bytes));
}

}  // namespace
}  // namespace assay
