#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "config/yaml.h"
#include "support/trees.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class YamlFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("assay_yaml_file_test_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "gpt.yaml") << "name: gpt\n";
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string fault(const fs::path& file) {
    return error_of([&] { read_yaml_file(file); });
  }
  fs::path folder_;
};

TEST_F(YamlFile, IsReadWithItsNameAsItsPlace) {
  const fs::path file = folder_ / "gpt.yaml";
  EXPECT_EQ(read_yaml_file(file).find("name")->at().text(), file.string() + ":1:7");
}

TEST_F(YamlFile, MissingNamesANearOne) {
  EXPECT_EQ(fault(folder_ / "gtp.yaml"),
            (folder_ / "gtp.yaml").string() + ": no such file; did you mean 'gpt.yaml'?");
  EXPECT_EQ(fault(folder_ / "other.yaml"), (folder_ / "other.yaml").string() + ": no such file");
  EXPECT_EQ(fault(folder_ / "no" / "such.yaml"),
            (folder_ / "no" / "such.yaml").string() + ": no such file");
}

TEST_F(YamlFile, AFolderIsCalledAFolder) {
  EXPECT_EQ(fault(folder_), folder_.string() + ": is a folder; name a YAML file in it");
}

TEST_F(YamlFile, UnreadableSaysWhy) {
  EXPECT_EQ(fault("/proc/self/mem"), "/proc/self/mem: cannot be read (Input/output error)");
}

TEST_F(YamlFile, AnEndlessDeviceIsRefused) {
  EXPECT_EQ(fault("/dev/zero"),
            "/dev/zero: more than 16 MiB of configuration: is this the right file?");
}

}  // namespace
}  // namespace assay
