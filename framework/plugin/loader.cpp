#include "plugin/loader.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "plugin/crash_report.h"

namespace assay {
namespace {

#if defined(__x86_64__)
// Of MXCSR: rounding, exception masks, flush-to-zero, denormals-are-zero; without the sticky
// exception flags.
std::uint64_t float_mode() {
  return _mm_getcsr() & ~0x3FU;
}
void set_float_mode(std::uint64_t mode) {
  _mm_setcsr(static_cast<unsigned>(mode));
}
#elif defined(__aarch64__)
std::uint64_t float_mode() {
  std::uint64_t mode = 0;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
void set_float_mode(std::uint64_t mode) {
  asm volatile("msr fpcr, %0" : : "r"(mode));
}
#endif

/// dlerror's text without the file's name, and with the missing symbol as one writes it in C++.
std::string why_not_opened(const std::filesystem::path& file) {
  const char* said = ::dlerror();
  std::string text = said ? said : "no reason given";
  const std::string prefix = file.string() + ": ";
  if (text.starts_with(prefix)) text.erase(0, prefix.size());
  constexpr std::string_view kUndefined = "undefined symbol: ";
  if (text.starts_with(kUndefined)) {
    const std::string symbol = text.substr(kUndefined.size());
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
    return fmt::format("needs {}, which neither it nor this program has",
                       status == 0 ? plain.get() : symbol);
  }
  return fmt::format("cannot be opened: {}", text);
}

}  // namespace

Loaded load_plugin(const std::filesystem::path& file) {
  Loaded loaded;
  const std::uint64_t before = float_mode();
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const bool changed = float_mode() != before;
  if (changed) set_float_mode(before);
  if (!library) {
    loaded.refused = why_not_opened(file);
    return loaded;
  }
  if (changed) {
    loaded.refused =
        "switches the floating-point mode when it is opened, so that results would differ: link it "
        "without -Ofast and -ffast-math";
    return loaded;
  }
  const std::string folder = file.parent_path().filename().string();  // "models"
  note_plugin(fmt::format("{} '{}' ({})", folder.substr(0, folder.size() - 1),
                          file.stem().string(), file.string()),
              library);
  const auto enter = reinterpret_cast<void (*)(Registrar&)>(::dlsym(library, "assay_register"));
  if (!enter) {
    loaded.refused = "has no assay_register: end its source with ASSAY_PLUGIN, outside namespaces";
    return loaded;
  }
  Registrar registrar;
  try {
    enter(registrar);
  } catch (const std::exception& e) {  // only a register function written by hand can throw
    registrar.failure = e.what();
  } catch (...) {
    registrar.failure = "something that is no std::exception";
  }
  set_float_mode(before);
  if (!registrar.failure.empty())
    loaded.refused = fmt::format("threw while registering: {}", registrar.failure);
  else if (registrar.plugins.empty())
    loaded.refused = "registers nothing";
  else if (registrar.plugins.size() > 1)
    loaded.refused =
        fmt::format("registers {} plugins: one file is one plugin", registrar.plugins.size());
  else
    loaded.registration = std::move(registrar.plugins.front());
  return loaded;
}

std::filesystem::path library_file() {
  Dl_info found{};
  if (::dladdr(reinterpret_cast<const void*>(&library_file), &found) == 0 || !found.dli_fname)
    throw Error(ExitCode::plugin, "cannot find the file of libassay.so, and so not its plugins");
  return std::filesystem::absolute(found.dli_fname).lexically_normal();
}

}  // namespace assay
