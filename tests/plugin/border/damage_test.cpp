// Damaged files. A byte changed in code or data may do no harm: what counts is that this process
// lives, and that whatever is refused has a reason.
#include "border/border.h"
#include "plugin/elf_note.h"
#include "plugin/probe.h"

namespace assay {
namespace {

using Damage = Border;

TEST_F(Damage, ReadingTheNoteSurvivesEveryTruncation) {
  const std::string whole = content(built("halve"));
  const auto file = install("halve");
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 2000) {
    std::filesystem::resize_file(file, 0);
    put(file, whole.substr(0, length));
    EXPECT_NE(read_plugin_note(file).refused, "") << length;
  }
}

TEST_F(Damage, ReadingTheNoteSurvivesAnyByteOfTheHeaders) {
  const std::string whole = content(built("halve"));
  const auto file = install("halve");
  std::string damaged = whole;
  const auto try_byte = [&](std::size_t at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      damaged[at] = value;
      put(file, damaged);
      read_plugin_note(file);
    }
    damaged[at] = whole[at];
  };
  for (std::size_t at = 0; at < 64; ++at) try_byte(at);  // the ELF header
  // The section headers are the last thing in a file that a linker wrote.
  for (std::size_t at = whole.size() - std::min<std::size_t>(whole.size(), 2500); at < whole.size();
       ++at)
    try_byte(at);
}

TEST_F(Damage, OpeningAFileWithEveryHundredthByteDamagedIsRefused) {
  std::string bytes = content(built("halve"));
  for (std::size_t at = 99; at < bytes.size(); at += 100) bytes[at] = static_cast<char>(~bytes[at]);
  put(install("halve"), bytes);
  EXPECT_NE(said_of("halve").find("[3] a.yaml:3:9: sampler 'halve' cannot be used: "),
            std::string::npos);
}

TEST_F(Damage, OneDamagedByteAnywhereEndsInTheHelperAtMost) {
  constexpr std::size_t kTries = 60;
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
