// Damaged files. A byte changed in code or data may do no harm: what counts is that this process
// lives, and that whatever is refused has a reason.
#include <fstream>
#include <vector>

#include "border/border.h"
#include "plugin/elf_note.h"
#include "plugin/probe.h"

namespace assay {
namespace {

using Damage = Border;

void change_byte(std::fstream& file, std::size_t at, char value) {
  file.seekp(static_cast<std::streamoff>(at));
  file.put(value).flush();
}

TEST_F(Damage, ReadingTheNoteSurvivesEveryTruncation) {
  const auto file = install("halve");
  const std::size_t whole = std::filesystem::file_size(file), step = 1 + whole / 1000;
  for (std::size_t cut = 1; cut < whole; cut += step) {
    std::filesystem::resize_file(file, whole - cut);
    EXPECT_NE(read_plugin_note(file).refused, "") << whole - cut;
  }
}

TEST_F(Damage, ReadingTheNoteSurvivesAnyByteOfTheHeaders) {
  const std::string whole = content(built("halve"));
  const auto path = install("halve");
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < 64; ++at) places.push_back(at);  // the ELF header
  // The section headers and their names are the last thing in a file that a linker wrote.
  for (std::size_t at = whole.size() - 2500; at < whole.size(); ++at) places.push_back(at);
  std::size_t refused = 0;
  for (const std::size_t at : places) {
    change_byte(file, at, static_cast<char>(~whole[at]));
    refused += read_plugin_note(path).refused.empty() ? 0 : 1;
    change_byte(file, at, whole[at]);
  }
  EXPECT_GT(refused, 50U);  // every byte of the header that means something here
  EXPECT_EQ(read_plugin_note(path).refused, "");
}

TEST_F(Damage, OpeningAFileWithEveryHundredthByteDamagedIsRefused) {
  std::string bytes = content(built("halve"));
  for (std::size_t at = 99; at < bytes.size(); at += 100) bytes[at] = static_cast<char>(~bytes[at]);
  put(install("halve"), bytes);
  EXPECT_NE(said_of("halve").find("[3] a.yaml:3:9: sampler 'halve' cannot be used: "),
            std::string::npos);
}

TEST_F(Damage, OneDamagedByteAnywhereEndsInTheHelperAtMost) {
  constexpr std::size_t kTries = 40;
  const std::string whole = content(built("halve"));
  const auto file = install("halve");
  for (std::size_t i = 0; i < kTries; ++i) {
    std::string damaged = whole;
    // The first half of the tries hits the headers and tables that the dynamic linker reads.
    const std::size_t at = i < kTries / 2 ? 4 + i * 53 : i * whole.size() / kTries;
    damaged[at] = static_cast<char>(~damaged[at]);
    std::filesystem::remove(file);
    put(file, damaged);
    probe_plugin(file);
  }
}

}  // namespace
}  // namespace assay
