// The facts of a plugin as they stand in its file: an ELF note in the section .note.assay, read
// without running anything. Magic, size and ABI tag keep their places for ever, so that any program
// can say what a file of another time was built for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "plugin/abi.h"

namespace assay {

inline constexpr const char* kNoteSection = ".note.assay";
inline constexpr std::uint32_t kNoteMagic = 0x59535341;  // "ASSY", read as little-endian

struct PluginNote {
  // As every ELF note starts: lengths of owner and descriptor, type, owner.
  std::uint32_t owner_size = sizeof(owner);
  std::uint32_t descriptor_size = 0;
  std::uint32_t type = 1;
  FixedText<8> owner;  // "Assay"
  // The descriptor.
  std::uint32_t magic = kNoteMagic;
  std::uint32_t size = 0;  // of the whole note
  FixedText<128> abi;
  FixedText<32> kind;
  FixedText<64> name;
  FixedText<32> version;
  FixedText<236> summary;
};
static_assert(std::is_trivially_copyable_v<PluginNote> && sizeof(PluginNote) == 520);

consteval PluginNote make_plugin_note(std::string_view kind, std::string_view name,
                                      std::string_view version, std::string_view summary) {
  PluginNote note;
  note.size = sizeof(PluginNote);
  note.descriptor_size = sizeof(PluginNote) - 3 * sizeof(std::uint32_t) - sizeof(note.owner);
  note.owner.append("Assay");
  note.abi = kAbiTag;
  note.kind.append(kind);
  note.name.append(name);
  note.version.append(version);
  note.summary.append(summary);
  return note;
}

}  // namespace assay
