#include "base/version.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace assay {
namespace {

struct Search {
  std::uintptr_t inside = 0;  // an address of the library that is looked for
  std::string id;
};

bool holds(const dl_phdr_info& library, std::uintptr_t address) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const auto& part = library.dlpi_phdr[i];
    const std::uintptr_t start = library.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && address >= start && address < start + part.p_memsz) return true;
  }
  return false;
}

// Sizes in notes are rounded up to whole words.
std::size_t words(std::size_t size) {
  return (size + 3) / 4 * 4;
}

std::string id_in(const char* notes, std::size_t size) {
  std::string id;
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const char* const name = notes + at + sizeof note;
    const std::size_t whole = sizeof note + words(note.n_namesz) + words(note.n_descsz);
    if (whole > size - at) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        constexpr const char* kDigits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(name[words(note.n_namesz) + i]);
        id += kDigits[byte >> 4];
        id += kDigits[byte & 15];
      }
    at += whole;
  }
  return id;
}

int look_at(dl_phdr_info* library, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  if (!holds(*library, search.inside)) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& part = library->dlpi_phdr[i];
    if (part.p_type == PT_NOTE && search.id.empty())
      search.id =
          id_in(reinterpret_cast<const char*>(library->dlpi_addr + part.p_vaddr), part.p_memsz);
  }
  return 1;
}

}  // namespace

std::string_view version() {
  return ASSAY_VERSION;
}

std::string build_id() {
  Search search;
  search.inside = reinterpret_cast<std::uintptr_t>(&look_at);
  dl_iterate_phdr(look_at, &search);
  return search.id.empty() ? "unknown" : search.id;
}

}  // namespace assay
