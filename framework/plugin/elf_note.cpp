#include "plugin/elf_note.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "io/descriptor.h"
#include "plugin/note.h"

namespace assay {
namespace {

static_assert(std::endian::native == std::endian::little, "the note is read as it was written");

constexpr std::uint64_t kLargestNameTable = 1 << 20;
#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#endif

constexpr const char* kDamaged = "is cut short or damaged";

/// A file that is read at offsets which nobody has checked yet.
class File {
 public:
  explicit File(const std::filesystem::path& path)
      // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat facts {};
    if (!descriptor_ || ::fstat(descriptor_.get(), &facts) != 0)
      problem_ = fmt::format("cannot be read: {}", std::strerror(errno));
    else if (!S_ISREG(facts.st_mode))
      problem_ = "is no regular file";
    else
      size_ = static_cast<std::uint64_t>(facts.st_size);
  }
  const std::string& problem() const { return problem_; }

  /// False if the file does not hold all of it.
  bool read(std::uint64_t offset, std::span<std::byte> into) const {
    if (offset > size_ || into.size() > size_ - offset) return false;
    while (!into.empty()) {
      const ssize_t got =
          ::pread(descriptor_.get(), into.data(), into.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      offset += static_cast<std::uint64_t>(got);
      into = into.subspan(static_cast<std::size_t>(got));
    }
    return true;
  }
  template <class T>
  bool read(std::uint64_t offset, T& into) const {
    return read(offset, std::as_writable_bytes(std::span(&into, 1)));
  }

 private:
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
  std::string problem_;
};

/// Finds the section of the note; returns what is wrong, or an empty text.
std::string find_note(const File& file, Elf64_Shdr& note) {
  Elf64_Ehdr header{};
  if (!file.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "is no shared library";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != kMachine)
    return "is for another kind of processor";
  if (header.e_type != ET_DYN) return "is no shared library";
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
    return kDamaged;
  std::vector<Elf64_Shdr> sections(header.e_shnum);  // at most 65535 of 64 bytes
  if (!file.read(header.e_shoff, std::as_writable_bytes(std::span(sections)))) return kDamaged;

  const Elf64_Shdr& names = sections[header.e_shstrndx];
  if (names.sh_size > kLargestNameTable) return kDamaged;
  std::vector<char> table(names.sh_size);
  if (!file.read(names.sh_offset, std::as_writable_bytes(std::span(table)))) return kDamaged;
  const std::string_view all(table.data(), table.size());
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_name >= all.size()) continue;
    const std::string_view rest = all.substr(section.sh_name);
    if (rest.substr(0, rest.find('\0')) == kNoteSection) {
      note = section;
      return "";
    }
  }
  return "is a shared library, but no plugin: its source has no ASSAY_PLUGIN";
}

}  // namespace

NoteFacts read_plugin_note(const std::filesystem::path& path) {
  NoteFacts facts;
  const File file(path);
  Elf64_Shdr section{};
  facts.refused = file.problem().empty() ? find_note(file, section) : file.problem();
  if (!facts.refused.empty()) return facts;

  // Up to the ABI tag the layout never changes; what follows is known only if the size is ours.
  constexpr std::size_t kFixed = offsetof(PluginNote, kind);
  PluginNote note{};
  const bool whole = section.sh_size >= sizeof(PluginNote) && file.read(section.sh_offset, note);
  if (!whole) {
    const auto fixed = std::as_writable_bytes(std::span(&note, 1)).first(kFixed);
    if (section.sh_size < kFixed || !file.read(section.sh_offset, fixed)) {
      facts.refused = kDamaged;
      return facts;
    }
  }
  if (note.magic != kNoteMagic || note.owner.view() != "Assay") {
    facts.refused = "has a note of the right name that is no plugin's";
    return facts;
  }
  const bool ours = whole && note.size == sizeof(PluginNote);
  if (ours) {
    facts.kind = note.kind.view();
    facts.name = note.name.view();
    facts.version = note.version.view();
    facts.summary = note.summary.view();
  }
  if (!ours || note.abi.view() != kAbiTag.view())
    facts.refused = fmt::format("was built for '{}', but this program is '{}': build it again",
                                note.abi.view(), kAbiTag.view());
  return facts;
}

}  // namespace assay
