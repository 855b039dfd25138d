#include "base/lazy_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.h"

namespace assay {

LazyLibrary::LazyLibrary(const char* file, std::string_view package)
    : file_(file), handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
  if (handle_ == nullptr)
    throw Error(ExitCode::failed, fmt::format("{}: cannot be loaded: {}; install the package {}",
                                              file_, ::dlerror(), package));
}

void* LazyLibrary::symbol(const char* name) const {
  if (void* found = ::dlsym(handle_, name)) return found;
  throw Error(ExitCode::failed,
              fmt::format("{}: has no {}: another version than the one built for?", file_, name));
}

}  // namespace assay
