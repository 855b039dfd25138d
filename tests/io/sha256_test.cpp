#include "io/sha256.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace assay {
namespace {

// Values from FIPS 180-4 and NIST's example files.
TEST(Sha256, GivesThePublishedValues) {
  EXPECT_EQ(sha256_hex(std::string_view("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex(std::string_view("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PieceByPieceEqualsAtOnceAndStartsAnewAfterwards) {
  Sha256 hash;
  for (int round = 0; round < 2; ++round) {
    hash.add("a");
    hash.add("");
    hash.add("bc");
    EXPECT_EQ(hash.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }
}

TEST(Sha256, OfAFileEqualsThatOfItsBytes) {
  const auto file =
      std::filesystem::temp_directory_path() / ("assay-sha-" + std::to_string(getpid()));
  const std::string content(700001, 'x');
  std::ofstream(file, std::ios::binary) << content;
  EXPECT_EQ(sha256_hex_file(file), sha256_hex(content));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace assay
