// The memory of the probe: what passed once is not tried again, and anything that changed is.
#include "plugin/probe.h"
#include "border/border.h"
#include "io/sha256.h"

namespace assay {
namespace {

using Probe = Border;

/// Whether it was remembered: a plugin that cannot be opened any more is only accepted from memory.
bool accepted_from_memory(const std::filesystem::path& file, const std::string& sha256) {
  const auto time = std::filesystem::last_write_time(file);
  const auto size = std::filesystem::file_size(file);
  put(file, std::string(size, 'x'));
  std::filesystem::last_write_time(file, time);
  return probe_plugin_once(file, sha256).empty();
}

TEST_F(Probe, WhatPassedIsRemembered) {
  const auto file = install("halve");
  const std::string sha256 = sha256_hex_file(file);
  EXPECT_EQ(probe_plugin_once(file, sha256), "");
  EXPECT_TRUE(accepted_from_memory(file, sha256));
}

TEST_F(Probe, AnotherHashIsTriedAgain) {
  const auto file = install("halve");
  EXPECT_EQ(probe_plugin_once(file, sha256_hex_file(file)), "");
  EXPECT_FALSE(accepted_from_memory(file, std::string(64, '0')));
}

TEST_F(Probe, AnotherTimeIsTriedAgain) {
  const auto file = install("halve");
  const std::string sha256 = sha256_hex_file(file);
  EXPECT_EQ(probe_plugin_once(file, sha256), "");
  std::filesystem::last_write_time(
      file, std::filesystem::last_write_time(file) + std::chrono::seconds(1));
  EXPECT_FALSE(accepted_from_memory(file, sha256));
}

TEST_F(Probe, WhatFailedIsTriedAgain) {
  const auto file = install("exits");
  const std::string sha256 = sha256_hex_file(file);
  EXPECT_NE(probe_plugin_once(file, sha256), "");
  std::filesystem::copy_file(built("halve"), file,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(probe_plugin_once(file, sha256), "");
}

TEST_F(Probe, ACacheThatCannotBeWrittenDoesNoHarm) {
  const auto file = install("halve");
  put(root() / "file", "");
  ::setenv("XDG_CACHE_HOME", (root() / "file").c_str(), 1);
  EXPECT_EQ(probe_plugin_once(file, sha256_hex_file(file)), "");
}

TEST_F(Probe, ADamagedRecordIsTriedAgain) {
  const auto file = install("halve");
  const std::string sha256 = sha256_hex_file(file);
  EXPECT_EQ(probe_plugin_once(file, sha256), "");
  const std::filesystem::path records =
      std::filesystem::path(::getenv("XDG_CACHE_HOME")) / "assay/probes";
  for (const auto& record : std::filesystem::directory_iterator(records))
    std::filesystem::resize_file(record.path(), 10);
  EXPECT_FALSE(accepted_from_memory(file, sha256));
}

}  // namespace
}  // namespace assay
